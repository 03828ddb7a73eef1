import { UnavailableError } from '../../error.ts';
import { headerHash, parseBlock } from '../raw.ts';
import type { BitcoinBlock } from '../transaction.ts';
import { type BlockInfo, blockInfo } from './answers.ts';
import type { Esplora } from './client.ts';

/** Number of blocks of the median time past (BIP113). */
const MEDIAN_OF = 11;
/** Parent of block 0. */
const NO_BLOCK = '0'.repeat(64);
/** Most headers that are kept; the median of the next block needs fewer. */
const MAX_KNOWN = 64;

export interface EsploraBlocks {
  /** Null for a hash that the service does not have. */
  info(hash: string): Promise<BlockInfo | null>;
  block(hash: string): Promise<BitcoinBlock | null>;
}

/**
 * Reads blocks whole, in two requests each however many addresses are watched. Header and
 * transactions must be those of the asked hash.
 */
export function createEsploraBlocks(esplora: Esplora): EsploraBlocks {
  /** Parts of headers that their hash proves. */
  const known = new Map<string, Pick<BlockInfo, 'timestamp' | 'previousblockhash'>>();

  async function info(hash: string): Promise<BlockInfo | null> {
    const found = await esplora.json(`/block/${hash}`, blockInfo);
    if (found === null) return null;
    if (headerHash(headerOf(found)) !== hash || found.id !== hash)
      throw new UnavailableError(`The service returned another block for ${hash}`);
    const { timestamp, previousblockhash } = found;
    known.set(hash, { timestamp, previousblockhash });
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(oldest);
    }
    return found;
  }

  /** Esplora's blocks have no median time past, so it is computed from the headers before. */
  async function medianTime({ timestamp, previousblockhash }: BlockInfo): Promise<number> {
    const times = [timestamp];
    let next = previousblockhash;
    while (times.length < MEDIAN_OF && next != null && next !== NO_BLOCK) {
      const found = known.get(next) ?? (await info(next));
      if (found === null) throw new UnavailableError(`The service does not have block ${next}`);
      times.push(found.timestamp);
      next = found.previousblockhash;
    }
    return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
  }

  return {
    info,
    async block(hash) {
      const found = await info(hash);
      const bytes = found && (await esplora.bytes(`/block/${hash}/raw`));
      if (!found || !bytes) return null;
      const raw = parseBlock(bytes);
      if (raw.hash !== hash)
        throw new UnavailableError(`The service returned the bytes of another block for ${hash}`);
      return {
        hash,
        height: found.height,
        parentHash: found.previousblockhash ?? '',
        time: (await medianTime(found)) * 1000,
        transactions: raw.transactions,
      };
    },
  };
}

/** The 80 bytes of a header. */
function headerOf(block: BlockInfo): Uint8Array {
  const bytes = Buffer.alloc(80);
  bytes.writeUInt32LE(block.version >>> 0, 0);
  bytes.set(Buffer.from(block.previousblockhash ?? NO_BLOCK, 'hex').toReversed(), 4);
  bytes.set(Buffer.from(block.merkle_root, 'hex').toReversed(), 36);
  bytes.writeUInt32LE(block.timestamp, 68);
  bytes.writeUInt32LE(block.bits, 72);
  bytes.writeUInt32LE(block.nonce, 76);
  return bytes;
}
