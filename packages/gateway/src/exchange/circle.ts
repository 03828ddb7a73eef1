import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import type { RuleRow } from './rule-store.ts';

export type Sale = Pick<
  RuleRow,
  'account_id' | 'id' | 'from_wallet_id' | 'from_kind' | 'from_asset' | 'to_wallet_id' | 'to_kind' | 'to_asset'
>;

/**
 * Automatic conversions that sell what the next one buys, until the first one's coin is bought again, would trade the same money round
 * and round, for a spread each time. Only those that are switched on count. An automatic funding closes no circle: it buys what
 * lacks, and no rule sells what it keeps.
 * @throws ServiceError `InvalidState` when this one would close such a circle
 */
export async function requireNoCircle(trx: Trx, sale: Sale): Promise<void> {
  // One at a time for each account: two at once would not see each other.
  await sql`select id from account where id = ${sale.account_id} for no key update`.execute(trx);
  await refuseCircle(trx, sale);
}

/**
 * The same about one that is on: those from before circles were refused may be in one.
 * @throws ServiceError `InvalidState`
 */
export async function refuseCircle(db: Db | Trx, sale: Sale): Promise<void> {
  const others = await db
    .selectFrom('automatic_rule')
    .select(['from_wallet_id', 'from_kind', 'from_asset', 'to_wallet_id', 'to_kind', 'to_asset'])
    .where('account_id', '=', sale.account_id)
    .where('type', '=', 'conversion')
    .where('is_enabled', '=', true)
    .where('id', '<>', sale.id)
    .execute();
  const sold = new Map(others.map((other) => [`${other.from_wallet_id}:${other.from_asset}`, other]));
  const path = [`${sale.from_kind} to ${sale.to_kind}`];
  let bought = `${sale.to_wallet_id}:${sale.to_asset}`;
  // Each is passed once, there is one for each balance: the way has an end, also where it leads into a circle of others.
  for (let next = sold.get(bought); next !== undefined && sold.delete(bought); next = sold.get(bought)) {
    path.push(`${next.from_kind} to ${next.to_kind}`);
    bought = `${next.to_wallet_id}:${next.to_asset}`;
  }
  if (bought !== `${sale.from_wallet_id}:${sale.from_asset}`) return;
  throw new ServiceError(
    'InvalidState',
    `The same money would be converted in a circle: ${path.join(', ')}. Switch one of them off first.`,
    {
      errors: [{ field: 'to_kind', message: `is converted back to ${sale.from_kind} by automatic conversions that are switched on` }],
    },
  );
}
