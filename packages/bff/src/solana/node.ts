import { z } from 'zod';
import { publicKeyOf } from './address.ts';

const TIMEOUT_MS = 5000;
/** A block hash is valid for about a minute: concurrent buyers share one. */
const FRESH_MS = 10_000;

const Answer = z.object({ result: z.object({ value: z.object({ blockhash: z.string() }) }) });

export interface SolanaNode {
  /** @throws Error without a valid answer of the node */
  recentBlockhash(): Promise<Uint8Array>;
}

/** Requests to a Solana node over JSON-RPC. */
export function createSolanaNode(
  url: string,
  { fetch: request, now }: { fetch: typeof fetch; now: () => number },
): SolanaNode {
  let last: { at: number; hash: Promise<Uint8Array> } | null = null;
  const loadBlockhash = async (): Promise<Uint8Array> => {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'getLatestBlockhash',
        params: [{ commitment: 'confirmed' }],
      }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const hash = publicKeyOf(Answer.parse(await response.json()).result.value.blockhash);
    if (!hash) throw new Error('the node returned no block hash');
    return hash;
  };
  return {
    recentBlockhash() {
      if (!last || now() - last.at >= FRESH_MS) {
        const current = { at: now(), hash: loadBlockhash() };
        current.hash.catch(() => (last = last === current ? null : last));
        last = current;
      }
      return last.hash;
    },
  };
}
