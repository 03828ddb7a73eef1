import type { Trx } from '../database/database.ts';
import { takenSlugs } from './store.ts';

const MAX_LENGTH = 48;

/**
 * A name's form for addresses: `Käse & Co.` becomes `kase-co`. A name without a letter or digit
 * becomes `account`.
 * @example slugOf('Second shop') // 'second-shop'
 */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, MAX_LENGTH);
  return slug.replace(/^-+|-+$/g, '') || 'account';
}

/** The first of `shop`, `shop-2`, `shop-3` … that no other sub account of the parent has. */
export async function freeSlug(trx: Trx, parentId: string, name: string): Promise<string> {
  const slug = slugOf(name);
  const taken = await takenSlugs(trx, parentId, slug);
  if (!taken.has(slug)) return slug;
  let number = 2;
  while (taken.has(`${slug}-${number}`)) number += 1;
  return `${slug}-${number}`;
}
