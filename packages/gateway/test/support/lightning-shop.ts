import type { Profile } from '@crypto-checkout/protocol/schema/profile';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import { signedHeaders } from './call.ts';
import type { Running } from './running-gateway.ts';

export interface ShownInvoice {
  id: string;
  lightning: { payment_request: string | null };
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** The result of a call that succeeded. */
export function resultOf<T>(body: Answer['body']): T {
  if (body['result'] === undefined) throw new Error(JSON.stringify(body));
  return body['result'] as T;
}

async function send(
  { url, credentials }: Running,
  method: string,
  path: string,
  members: object = {},
): Promise<Answer> {
  // The API key of the first start: nanoseconds never repeat within a test.
  nonce += 1n;
  const payload = encodePayload({ request: path, ...members }, nonce);
  const key = { key: credentials['api_key']!, secret: credentials['api_secret']! };
  const response = await fetch(url + path, { method, headers: signedHeaders(key, payload) });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}
let nonce = BigInt(Date.now()) * 1_000n;

export const createInvoice = (service: Running, members: object): Promise<Answer> =>
  send(service, 'POST', '/v1/invoices/', {
    kind: 'BTC_LIGHTNING',
    currency: 'BTC',
    profile_id: service.credentials['profile_id'],
    ...members,
  });

export function createPayout(
  service: Running,
  { address, amount, ...members }: { address: string; amount: string } & Record<string, unknown>,
): Promise<Answer> {
  return send(service, 'POST', '/v1/payouts/', {
    kind: 'BTC_LIGHTNING_TO_LIGHTNING',
    profile_id: service.credentials['profile_id'],
    recipients: [{ address, amount, currency: 'BTC' }],
    ...members,
  });
}

export async function statusOf(
  service: Running,
  resource: 'invoices' | 'payouts',
  id: string,
): Promise<string> {
  const { body } = await send(service, 'GET', `/v1/${resource}/${id}/`);
  return resultOf<{ status: string }>(body).status;
}

/** The coins that the profile marks as unavailable. */
export async function unavailableCoins(service: Running): Promise<string[]> {
  const path = `/v1/profiles/${service.credentials['profile_id']}/`;
  const { body } = await send(service, 'GET', path);
  const { currencies } = resultOf<Pick<Profile, 'currencies'>>(body);
  return currencies.flatMap(({ kind, unavailable }) => (unavailable === true ? [kind] : []));
}
