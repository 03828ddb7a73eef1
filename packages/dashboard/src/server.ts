/** The gateway's error answer, with its message. */
export class GatewayError extends Error {
  override name = 'GatewayError';
  /** Null when there was no answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null) {
    super(message);
    this.status = status;
  }
}

/** Window event when a request finds no session; `detail` is the gateway's message. */
export const SIGNED_OUT = 'dashboard-signed-out';

/** @throws GatewayError */
export function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, signal ? { signal } : {});
}

/** @throws GatewayError */
export function write<T>(path: string, body: unknown = {}): Promise<T> {
  return ask<T>(path, { method: 'POST', body: JSON.stringify(body) });
}

async function ask<T>(path: string, request: RequestInit): Promise<T> {
  const response = await fetch(`/dashboard/api/${path}`, {
    ...request,
    headers: { 'Content-Type': 'application/json', 'X-Dashboard': '1' },
  }).catch((error: unknown) => {
    if (request.signal?.aborted) throw error;
    throw new GatewayError(
      'The gateway does not answer. Whether a change took effect is not known: reload to see.',
      null,
    );
  });
  const answer = (await response.json().catch(() => ({}))) as T & {
    message?: string;
    reason?: string;
  };
  if (response.ok) return answer;
  const sentence = answer.message ?? `The gateway answered ${response.status}.`;
  if (answer.reason === 'NotSignedIn')
    window.dispatchEvent(new CustomEvent(SIGNED_OUT, { detail: sentence }));
  throw new GatewayError(sentence, response.status);
}
