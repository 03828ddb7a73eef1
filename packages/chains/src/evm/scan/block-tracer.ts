import { UnavailableError } from '../../error.ts';
import { JsonRpcError } from '../../json-rpc.ts';
import type { EvmNode, EvmTrace } from '../node.ts';

/** Looks at a block that fail before it is read without its traces. Another provider may answer. */
const MAX_TRIES = 3;
/** How long blocks are read without a second try after one had no traces. */
const LENIENT_MS = 10 * 60 * 1000;

export interface BlockTracer {
  /**
   * The traces of blocks; null of a block that the node cannot trace, because it has pruned the
   * state or refuses. It is traced later.
   * @throws JsonRpcError or UnavailableError while the block is worth another look
   */
  trace(blockHashes: readonly string[]): Promise<(EvmTrace[] | null)[]>;
}

export function createBlockTracer(
  node: Pick<EvmNode, 'traceBlock'>,
  {
    now,
    onUntraced,
  }: { now: () => number; onUntraced: (blockHash: string, reason: string) => void },
): BlockTracer {
  let failing: { hash: string; tries: number } | null = null;
  let lenientUntil = Number.NEGATIVE_INFINITY;

  function giveUp(hash: string, error: unknown): void {
    if (!(error instanceof JsonRpcError || error instanceof UnavailableError)) throw error;
    const tries = (failing?.hash === hash ? failing.tries : 0) + 1;
    if (tries < MAX_TRIES && now() >= lenientUntil) {
      failing = { hash, tries };
      throw error;
    }
    failing = null;
    lenientUntil = now() + LENIENT_MS;
    onUntraced(hash, error.message);
  }

  return {
    // One call per block: traces are large, and a batch of them could exceed the size limit.
    async trace(blockHashes) {
      const found: (EvmTrace[] | null)[] = [];
      for (const hash of blockHashes) {
        try {
          found.push(await node.traceBlock(hash));
        } catch (error) {
          giveUp(hash, error);
          found.push(null);
        }
      }
      return found;
    },
  };
}
