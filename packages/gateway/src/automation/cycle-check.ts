import { sql } from 'kysely';
import type { Db, Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import type { RuleRow } from './rule-store.ts';

export type ConversionEdge = Pick<
  RuleRow,
  | 'account_id'
  | 'id'
  | 'from_wallet_id'
  | 'from_kind'
  | 'from_asset'
  | 'to_wallet_id'
  | 'to_kind'
  | 'to_asset'
>;

/**
 * Rejects an automatic conversion that would form a cycle with other enabled ones, because the same
 * money would be converted in circles and lose the spread each time. Automatic fundings cannot form
 * a cycle: no rule sells the amount that a funding keeps.
 * @throws ServiceError `InvalidState` when it would form a cycle
 */
export async function lockAndRequireNoCycle(trx: Trx, edge: ConversionEdge): Promise<void> {
  // Serialize per account: concurrent transactions would not see each other's rule.
  await sql`select id from account where id = ${edge.account_id} for no key update`.execute(trx);
  await requireNoCycle(trx, edge);
}

/**
 * Same check without the lock, for a rule that is enabled already: older rules may form a cycle.
 * @throws ServiceError `InvalidState`
 */
export async function requireNoCycle(db: Db | Trx, edge: ConversionEdge): Promise<void> {
  const others = await db
    .selectFrom('automatic_rule')
    .select(['from_wallet_id', 'from_kind', 'from_asset', 'to_wallet_id', 'to_kind', 'to_asset'])
    .where('account_id', '=', edge.account_id)
    .where('type', '=', 'conversion')
    .where('is_enabled', '=', true)
    .where('id', '<>', edge.id)
    .execute();
  const sold = new Map(
    others.map((other) => [`${other.from_wallet_id}:${other.from_asset}`, other]),
  );
  const path = [`${edge.from_kind} to ${edge.to_kind}`];
  let bought = `${edge.to_wallet_id}:${edge.to_asset}`;
  // Ends also if the path leads into a cycle of other rules: each rule is visited once.
  for (
    let next = sold.get(bought);
    next !== undefined && sold.delete(bought);
    next = sold.get(bought)
  ) {
    path.push(`${next.from_kind} to ${next.to_kind}`);
    bought = `${next.to_wallet_id}:${next.to_asset}`;
  }
  if (bought !== `${edge.from_wallet_id}:${edge.from_asset}`) return;
  throw new ServiceError(
    'InvalidState',
    `The automatic conversions would form a cycle: ${path.join(', ')}. Disable one of them first.`,
    {
      errors: [
        {
          field: 'to_kind',
          message: `is converted back to ${edge.from_kind} by enabled automatic conversions`,
        },
      ],
    },
  );
}
