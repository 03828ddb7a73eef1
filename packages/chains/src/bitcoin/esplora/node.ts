import { UnavailableError } from '../../error.ts';
import type { BlockNode } from '../node.ts';
import { hash } from './answers.ts';
import { createEsploraBlocks } from './blocks.ts';
import type { Esplora } from './client.ts';
import { inParallel } from './in-parallel.ts';

/** The blocks of a service with Esplora's interface. */
export function createEsploraNode(esplora: Esplora): BlockNode {
  const { info, block } = createEsploraBlocks(esplora);
  return {
    block,
    hashesAt: (heights) => inParallel(heights, (height) => hashAt(esplora, height)),
    async tip() {
      const best = requireHash(await esplora.text('/blocks/tip/hash'));
      const found = await info(best);
      if (found === null) throw new UnavailableError('The service does not have its newest block');
      return { height: found.height, hash: best, time: found.timestamp * 1000 };
    },
  };
}

/** Null above the tip. */
export async function hashAt(esplora: Esplora, height: number): Promise<string | null> {
  const found = await esplora.text(`/block-height/${height}`);
  return found === null ? null : requireHash(found);
}

function requireHash(text: string | null): string {
  const parsed = hash.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UnavailableError('The service returned no hash of a block');
}
