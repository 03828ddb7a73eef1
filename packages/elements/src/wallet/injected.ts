import { type Injected, findEthereum } from './ethereum.ts';
import { findLightning } from './lightning.ts';
import type { WalletRequest } from './request.ts';
import { findSolana } from './solana.ts';

/** The checkout whose wallets are searched. */
export interface Search {
  url: string;
  /** On a test network. */
  test: boolean;
  /** Only proven payments are handed over: Solana's transactions are the server's. */
  pinned: boolean;
}

/**
 * Searches for wallets in this browser. They need an amount.
 * @param found - Called with all wallets at each discovery.
 * @returns a function that ends the search
 */
export function findInjected(
  request: WalletRequest,
  { url, test, pinned }: Search,
  found: (wallets: Injected[]) => void,
): () => void {
  const { family, chainId, units, amount } = request;
  found(findLightning(request));
  if (chainId && units) return findEthereum(found);
  if (family.startsWith('solana') && amount && !pinned) return findSolana({ url, test }, found);
  return () => {};
}
