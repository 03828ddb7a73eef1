import { createHmac } from 'node:crypto';

/**
 * A service in memory that checks requests by docs/interface.md, "Authentication", without code of
 * this repository.
 */
export interface FakeService {
  fetch: typeof fetch;
  /** Valid requests, in order of arrival. */
  accepted: Received[];
  /** Number of all requests, rejected ones included. */
  count: number;
  /** Maximum number of concurrent requests of one key. */
  most: number;
  answer: (request: Received) => Response | Promise<Response>;
}

export interface Received {
  key: string;
  method: string;
  path: string;
  query: URLSearchParams;
  payload: Record<string, unknown>;
  nonce: bigint;
}

export const SECRETS: Readonly<Record<string, string>> = {
  first: 'secret of the first',
  second: 'secret of the second',
};

export function fakeService(
  answer: FakeService['answer'],
  options: { nonceWindow?: boolean } = {},
): FakeService {
  const last = new Map<string, bigint>();
  const under = new Map<string, number>();
  const service: FakeService = {
    accepted: [],
    count: 0,
    most: 0,
    answer,
    fetch: async (input, init) => handle(new Request(input, init)),
  };
  return service;

  async function handle(request: Request): Promise<Response> {
    service.count++;
    const key = request.headers.get('x-cc-key') ?? '';
    under.set(key, (under.get(key) ?? 0) + 1);
    service.most = Math.max(service.most, under.get(key)!);
    try {
      await new Promise((resolve) => setImmediate(resolve));
      return await check(request, key);
    } finally {
      under.set(key, under.get(key)! - 1);
    }
  }

  async function check(request: Request, key: string): Promise<Response> {
    const base64 = request.headers.get('x-cc-payload') ?? '';
    const expected = createHmac('sha256', SECRETS[key] ?? '')
      .update(base64)
      .digest('hex');
    if (request.headers.get('x-cc-signature') !== expected || (await request.text()) !== '')
      return refuse(401, 'InvalidApiKey');
    const json = Buffer.from(base64, 'base64').toString('utf8');
    const nonce = BigInt(/"nonce":(\d+)/.exec(json)![1]!);
    if (!options.nonceWindow && nonce <= (last.get(key) ?? 0n)) return refuse(400, 'InvalidNonce');
    last.set(key, nonce);
    const url = new URL(request.url);
    const payload = JSON.parse(json) as Record<string, unknown>;
    if (payload['request'] !== url.pathname) return refuse(400, 'EndpointMismatch');
    const received = {
      key,
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      payload,
      nonce,
    };
    service.accepted.push(received);
    return service.answer(received);
  }
}

export function refuse(
  status: number,
  reason: string | null,
  headers: Record<string, string> = {},
): Response {
  const body = {
    result: 'error',
    ...(reason !== null && { reason }),
    message: `refused: ${reason}`,
    request_id: 'req-1',
  };
  return Response.json(body, { status, headers });
}

export function invoiceJson(
  id: string,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id,
    kind: 'BTC',
    created_at: '2026-11-21T12:00:00.000000+00:00',
    expires_at: '2026-11-21T12:15:00.000000+00:00',
    profile_id: 'profile',
    address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    lightning: null,
    network: 'mainnet',
    status: 'new',
    amount: {
      requested: { amount: '19.90', currency: 'EUR' },
      invoiced: { amount: '0.00023', currency: 'BTC', rate_usd: '100000' },
      paid: null,
    },
    custom_fee: null,
    min_confirmations: null,
    zero_conf_enabled: false,
    notes: null,
    passthrough: null,
    transactions: [],
    ...changes,
  };
}

export function pageJson(result: unknown[], page: number, pages: number): Record<string, unknown> {
  const next_page = page < pages ? page + 1 : null;
  return {
    pagination: {
      num_pages: pages,
      count: pages * 25,
      page,
      next_page,
      previous_page: page > 1 ? page - 1 : null,
      per_page: 25,
    },
    result,
  };
}
