import type { Cache } from '../service/cache.ts';
import type { ServiceProfile } from '../service/service.ts';
import { leavesOutCoins } from './coins.ts';

/**
 * The cached profile. A stale one that leaves out coins is read again first: after a time without
 * buyers, the first one would miss coins that are long back.
 * @throws the error of the load, when the profile was never read
 */
export async function currentProfile(cache: Cache<ServiceProfile>): Promise<ServiceProfile> {
  const known = await cache.get();
  if (!leavesOutCoins(known)) return known;
  await cache.refresh();
  return cache.get();
}
