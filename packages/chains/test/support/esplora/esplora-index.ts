import type { Litecoind } from '../litecoind.ts';

/** A transaction as Bitcoin Core shows it. */
export interface CoreTransaction {
  txid: string;
  hex: string;
  version: number;
  locktime: number;
  size: number;
  weight: number;
  vin: {
    txid?: string;
    vout?: number;
    coinbase?: string;
    scriptSig?: { asm: string; hex: string };
    txinwitness?: string[];
    sequence: number;
  }[];
  vout: CoreOutput[];
}

export interface CoreOutput {
  n: number;
  value: number;
  scriptPubKey: { asm: string; hex: string; type: string; addresses?: string[] };
}

export interface CoreBlock {
  hash: string;
  height: number;
  version: number;
  time: number;
  nonce: number;
  bits: string;
  difficulty: number;
  merkleroot: string;
  previousblockhash?: string;
  size: number;
  weight: number;
  tx: CoreTransaction[];
}

/** Where a transaction is; a null block is the mempool. */
export interface Place {
  transaction: CoreTransaction;
  block: CoreBlock | null;
}

/** The blocks and transactions that a service which stands still has seen. */
export interface Horizon {
  height: number;
  mempool: ReadonlySet<string>;
}

const indexes = new WeakMap<Litecoind, EsploraIndex>();

/** All transactions of a node, and what spends them. */
export class EsploraIndex {
  readonly #node: Litecoind;
  #blocks: CoreBlock[] = [];
  #mempool = new Map<string, CoreTransaction>();
  readonly #mined = new Map<string, CoreBlock[]>();
  readonly #spenders = new Map<string, Set<string>>();
  readonly #known = new Map<string, CoreTransaction>();
  #reading: Promise<void> = Promise.resolve();

  private constructor(node: Litecoind) {
    this.#node = node;
  }

  /** One for each node: many tests share a chain. */
  static of(node: Litecoind): EsploraIndex {
    const index = indexes.get(node) ?? new EsploraIndex(node);
    indexes.set(node, index);
    return index;
  }

  /** Reads what is new. */
  async read(): Promise<void> {
    const next = this.#reading.then(() => this.#readNew());
    this.#reading = next.catch(() => {});
    return next;
  }

  tip(horizon: Horizon | null): number {
    const height = this.#blocks.length - 1;
    return horizon === null ? height : Math.min(height, horizon.height);
  }

  blockAt(height: number, horizon: Horizon | null): CoreBlock | null {
    return height > this.tip(horizon) ? null : (this.#blocks[height] ?? null);
  }

  blockOf(hash: string, horizon: Horizon | null): CoreBlock | null {
    const found = this.#blocks.findLast((block) => block.hash === hash);
    return found === undefined || found.height > this.tip(horizon) ? null : found;
  }

  find(txid: string, horizon: Horizon | null): Place | null {
    const transaction = this.#known.get(txid);
    if (transaction === undefined) return null;
    const block = this.#mined.get(txid)?.find((one) => this.#isBest(one)) ?? null;
    if (block !== null && block.height <= this.tip(horizon)) return { transaction, block };
    const isUnconfirmed = horizon === null ? this.#mempool.has(txid) : horizon.mempool.has(txid);
    return isUnconfirmed ? { transaction, block: null } : null;
  }

  unconfirmed(horizon: Horizon | null): CoreTransaction[] {
    const txids = horizon === null ? [...this.#mempool.keys()] : [...horizon.mempool];
    return txids.flatMap((txid) => {
      const place = this.find(txid, horizon);
      return place?.block === null ? [place.transaction] : [];
    });
  }

  confirmed(horizon: Horizon | null): Place[] {
    return this.#blocks
      .slice(0, this.tip(horizon) + 1)
      .flatMap((block) => block.tx.map((transaction) => ({ transaction, block })))
      .toReversed();
  }

  spender(outpoint: string, horizon: Horizon | null): Place | null {
    for (const txid of this.#spenders.get(outpoint) ?? []) {
      const place = this.find(txid, horizon);
      if (place !== null) return place;
    }
    return null;
  }

  /** The output that an input spends; a chain keeps those of all its transactions. */
  outputAt(txid: string, index: number): CoreOutput | null {
    return this.#known.get(txid)?.vout[index] ?? null;
  }

  #isBest = ({ height, hash }: CoreBlock): boolean => this.#blocks[height]?.hash === hash;

  async #readNew(): Promise<void> {
    const node = this.#node;
    const tip = await node.call<number>('getblockcount');
    for (let last = this.#blocks.at(-1); last !== undefined; last = this.#blocks.at(-1)) {
      const isBest =
        last.height <= tip && (await node.call('getblockhash', last.height)) === last.hash;
      if (isBest) break;
      this.#blocks.pop();
    }
    for (let height = this.#blocks.length; height <= tip; height += 1) {
      const hash = await node.call<string>('getblockhash', height);
      const block = await node.call<CoreBlock>('getblock', hash, 2);
      this.#blocks.push(block);
      for (const transaction of block.tx) {
        this.#add(transaction);
        const { txid } = transaction;
        this.#mined.set(txid, [...(this.#mined.get(txid) ?? []), block]);
      }
    }
    const mempool = new Map<string, CoreTransaction>();
    for (const txid of await node.call<string[]>('getrawmempool')) {
      const known =
        this.#known.get(txid) ??
        (await node.call<CoreTransaction>('getrawtransaction', txid, true).catch(() => null));
      if (known === null) continue;
      this.#add(known);
      mempool.set(txid, known);
    }
    this.#mempool = mempool;
  }

  #add(transaction: CoreTransaction): void {
    this.#known.set(transaction.txid, transaction);
    for (const { txid, vout } of transaction.vin) {
      const outpoint = `${txid}:${vout}`;
      const spenders = this.#spenders.get(outpoint) ?? new Set<string>();
      this.#spenders.set(outpoint, spenders.add(transaction.txid));
    }
  }
}
