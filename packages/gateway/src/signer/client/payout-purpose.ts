import type { PayoutPurpose } from '@crypto-checkout/chains/signer';
import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

/**
 * The reason of a payout, for which the policy of the signer process can have limits of its own.
 */
export async function findPurpose(db: Db, payoutId: string): Promise<PayoutPurpose> {
  const { rows } = await sql<{ purpose: PayoutPurpose }>`
    select case
      when exists (select from refund r where r.payout_id = p.id) then 'refund'
      when exists (select from automatic_payout a where a.account_id = p.account_id
        and starts_with(p.reference_id, 'automatic-payout:' || a.id || ':')) then 'automatic_payout'
      else 'payout' end as purpose
    from payout p where p.id::text = ${payoutId}`.execute(db);
  return rows[0]?.purpose ?? 'payout';
}
