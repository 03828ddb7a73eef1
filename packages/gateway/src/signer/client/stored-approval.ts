import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import { approval, type Approval } from '../approval.ts';

/** The approval that the signer process is shown with a payout; null when there is none. */
export async function findApproval(db: Db, payoutId: string): Promise<Approval | null> {
  const { rows } = await sql<{ approval: unknown }>`
    select approval from signer_approval where payout_id::text = ${payoutId}`.execute(db);
  return rows[0] === undefined ? null : approval.parse(rows[0].approval);
}

/** Stores an approval; a later one replaces it. The signer decides whether it is valid. */
export async function saveApproval(db: Db, payoutId: string, given: Approval): Promise<void> {
  await sql`insert into signer_approval (payout_id, approval)
    values (${payoutId}::uuid, ${JSON.stringify(given)}::jsonb)
    on conflict (payout_id) do update set approval = excluded.approval`.execute(db);
}
