import type { OpenTransaction, ScanLimits } from '../adapter.ts';
import type { BitcoinNode } from './node.ts';
import type { BitcoinTransaction } from './transaction.ts';

/** Transactions that one look reads; the next look reads the rest. */
const MAX_NEW = 5_000;
const BATCH = 500;

export interface Mempool {
  /** Compares with the node's mempool and reads what is new. */
  read(look: MempoolLook): Promise<MempoolView>;
}

/** The subject of a look, for services that have to be asked for each address. */
export interface MempoolLook extends Pick<ScanLimits, 'watched' | 'signal'> {
  /** Payments that no block has any more or yet. */
  unmined: readonly OpenTransaction[];
}

export interface MempoolView {
  transactions: Iterable<BitcoinTransaction>;
  has(txid: string): boolean;
  /** Txid of the transaction that spends this output; undefined when none does. */
  spender(outpoint: string): string | undefined;
}

/** Remembers the transactions of the mempool, so that each is read once. */
export function createMempool(node: Pick<BitcoinNode, 'mempool' | 'transactions'>): Mempool {
  const known = new Map<string, BitcoinTransaction>();
  const spenders = new Map<string, string>();
  let listed: ReadonlySet<string> = new Set();

  function forget({ txid, inputs }: BitcoinTransaction): void {
    known.delete(txid);
    for (const outpoint of inputs) if (spenders.get(outpoint) === txid) spenders.delete(outpoint);
  }

  function learn(transaction: BitcoinTransaction): void {
    known.set(transaction.txid, transaction);
    for (const outpoint of transaction.inputs) spenders.set(outpoint, transaction.txid);
  }

  /** After a start the mempool is read in portions; what arrives since comes first. */
  function nextOf(txids: readonly string[]): string[] {
    const unknown = txids.filter((txid) => !known.has(txid));
    const arrived = unknown.filter((txid) => !listed.has(txid));
    const waiting = unknown.filter((txid) => listed.has(txid));
    return [...arrived, ...waiting].slice(0, MAX_NEW);
  }

  return {
    async read() {
      const txids = await node.mempool();
      const current = new Set(txids);
      for (const transaction of known.values())
        if (!current.has(transaction.txid)) forget(transaction);
      const next = nextOf(txids);
      for (let from = 0; from < next.length; from += BATCH)
        for (const found of await node.transactions(next.slice(from, from + BATCH)))
          if (found !== null) learn(found);
      listed = current;
      return {
        transactions: known.values(),
        has: (txid) => current.has(txid),
        spender: (outpoint) => spenders.get(outpoint),
      };
    },
  };
}
