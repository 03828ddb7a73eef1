import { z } from 'zod';

const Served = z.object({
  event: z.literal('chains_served'),
  network: z.enum(['mainnet', 'testnet']),
  chains: z.record(z.string(), z.enum(['node', 'sandbox'])),
});
/** The gateway's own words about its chains. */
export type Served = z.infer<typeof Served>;

/** Reads the log line in which the gateway names its chains; null for every other line. */
export function readServed(line: string): Served | null {
  try {
    return Served.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** The first sentence that `npm start` prints. It promises nothing that the gateway did not say. */
export function headline(served: Served | null): string {
  if (served === null) return 'Crypto Checkout runs.';
  const nodes = Object.entries(served.chains).flatMap(([chain, source]) =>
    source === 'node' ? [chain] : [],
  );
  if (served.network === 'mainnet')
    return `Crypto Checkout runs on a main network (${nodes.join(', ')}): REAL MONEY MOVES.`;
  if (nodes.length === 0) return 'Crypto Checkout runs on sandbox chains: no real money moves.';
  const others = hasTestWallet(served) ? '; all other chains are simulated' : '';
  return `Crypto Checkout runs on test networks by nodes (${nodes.join(', ')})${others}.`;
}

/** The test wallet pays on simulated chains only. */
export const hasTestWallet = (served: Served | null): boolean =>
  Object.values(served?.chains ?? {}).includes('sandbox');
