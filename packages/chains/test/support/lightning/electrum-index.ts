import { createHash } from 'node:crypto';
import type { Litecoind } from '../litecoind.ts';

interface Output {
  n: number;
  scriptPubKey: { hex: string };
}

interface Transaction {
  txid: string;
  vin: { txid?: string; vout?: number }[];
  vout: Output[];
}

const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();
const reversed = (data: Uint8Array): Buffer => Buffer.from(data.toReversed());

/** Electrum's name of an address: the reversed hash of its script. */
const scriptHash = (script: string): string =>
  reversed(sha256(Buffer.from(script, 'hex'))).toString('hex');

/** The transactions of each script, as a wallet of the Electrum protocol asks for them. */
export class ElectrumIndex {
  readonly headers: string[] = [];
  readonly #chain: Litecoind;
  /** Script hash → txid → height; 0 in the mempool. */
  readonly #history = new Map<string, Map<string, number>>();
  readonly #owners = new Map<string, string>();
  readonly #blocks: string[][] = [];
  readonly #seen = new Set<string>();

  constructor(chain: Litecoind) {
    this.#chain = chain;
  }

  /** Reads new blocks and the mempool. Returns the scripts that have something new. */
  async read(): Promise<ReadonlySet<string>> {
    const changed = new Set<string>();
    const tip = await this.#chain.call<number>('getblockcount');
    while (this.headers.length <= tip) await this.#readBlock(this.headers.length, changed);
    for (const txid of await this.#chain.call<string[]>('getrawmempool')) {
      if (this.#seen.has(txid)) continue;
      const found = this.#chain.call<Transaction>('getrawtransaction', txid, true);
      this.#add(await found, 0, changed);
    }
    return changed;
  }

  historyOf(script: string): { tx_hash: string; height: number; fee?: number }[] {
    return [...(this.#history.get(script) ?? [])]
      .map(([tx_hash, height]) => ({ tx_hash, height, ...(height === 0 && { fee: 200 }) }))
      .toSorted((a, b) => (a.height || Infinity) - (b.height || Infinity));
  }

  /** Null for a script without transactions. */
  statusOf(script: string): string | null {
    const entries = this.historyOf(script);
    if (entries.length === 0) return null;
    const text = entries.map(({ tx_hash, height }) => `${tx_hash}:${height}:`).join('');
    return sha256(Buffer.from(text)).toString('hex');
  }

  txidAt(height: number, position: number): string {
    return this.#blocks[height]![position]!;
  }

  merkleOf(txid: string, height: number): { block_height: number; pos: number; merkle: string[] } {
    const txids = this.#blocks[height]!;
    const position = txids.indexOf(txid);
    return { block_height: height, pos: position, merkle: branchOf(txids, position) };
  }

  async #readBlock(height: number, changed: Set<string>): Promise<void> {
    const hash = await this.#chain.call<string>('getblockhash', height);
    const header = await this.#chain.call<string>('getblockheader', hash, false);
    const { tx } = await this.#chain.call<{ tx: Transaction[] }>('getblock', hash, 2);
    this.#blocks.push(tx.map(({ txid }) => txid));
    for (const transaction of tx) this.#add(transaction, height, changed);
    this.headers.push(header.slice(0, 160));
  }

  #add({ txid, vin, vout }: Transaction, height: number, changed: Set<string>): void {
    this.#seen.add(txid);
    const scripts = new Set<string>();
    for (const { n, scriptPubKey } of vout) {
      const script = scriptHash(scriptPubKey.hex);
      this.#owners.set(`${txid}:${n}`, script);
      scripts.add(script);
    }
    for (const input of vin) {
      const owner = this.#owners.get(`${input.txid}:${input.vout}`);
      if (owner !== undefined) scripts.add(owner);
    }
    for (const script of scripts) {
      const history = this.#history.get(script) ?? new Map<string, number>();
      this.#history.set(script, history.set(txid, height));
      changed.add(script);
    }
  }
}

/** The hashes beside the way from a transaction to the block's root. */
function branchOf(txids: readonly string[], position: number): string[] {
  const branch: string[] = [];
  let level = txids.map((txid) => reversed(Buffer.from(txid, 'hex')));
  for (let at = position; level.length > 1; at >>= 1) {
    if (level.length % 2 === 1) level.push(level.at(-1)!);
    branch.push(reversed(level[at ^ 1]!).toString('hex'));
    level = Array.from({ length: level.length / 2 }, (_, index) =>
      sha256(sha256(Buffer.concat([level[2 * index]!, level[2 * index + 1]!]))),
    );
  }
  return branch;
}
