import { createHmac } from 'node:crypto';

let lastNonce = 0;
/** Strictly increasing, whatever the clock does. */
export const nonce = (): number => (lastNonce = Math.max(Date.now(), lastNonce + 1));

/** The service's address and a key. */
export interface Service {
  gatewayUrl: string;
  credentials: { api_key: string; api_secret: string };
}

export interface Answer {
  status: number;
  body: any; // oxlint-disable-line typescript/no-explicit-any -- a stranger's client has no types
}

/**
 * A signed request (docs/interface.md, "Authentication"): three headers, no body; the payload is a
 * JSON object in base64 with `request` and `nonce`.
 */
export async function call(
  stack: Service,
  method: string,
  path: string,
  parameters: Record<string, unknown> = {},
  query = '',
): Promise<Answer> {
  const { api_key, api_secret } = stack.credentials;
  const payload = Buffer.from(
    JSON.stringify({ request: path, nonce: nonce(), ...parameters }),
  ).toString('base64');
  const signature = createHmac('sha256', api_secret).update(payload).digest('hex');
  const answer = await fetch(stack.gatewayUrl + path + query, {
    method,
    headers: { 'X-CC-KEY': api_key, 'X-CC-PAYLOAD': payload, 'X-CC-SIGNATURE': signature },
  });
  return { status: answer.status, body: await answer.json() };
}
