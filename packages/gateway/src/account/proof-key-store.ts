import type { Selectable } from 'kysely';
import type { Context } from '../context.ts';
import { type Db, timestamp, transact, type Trx } from '../database/database.ts';
import type { ProofKeyTable } from '../database/tables/account.ts';
import { ServiceError } from '../http/error.ts';
import { newProofKey, type SealedProofKey } from './proof-key.ts';

export type ProofKeyRow = Omit<Selectable<ProofKeyTable>, 'private_key_sealed'>;

const SHOWN = ['account_id', 'kid', 'public_key', 'state', 'created_at'] as const;

/** The keys of an account, the oldest first: previous, current, next. */
export async function listProofKeys(db: Db | Trx, accountId: string): Promise<ProofKeyRow[]> {
  const rows = await db
    .selectFrom('proof_key')
    .select(SHOWN)
    .where('account_id', '=', accountId)
    .execute();
  return rows.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

const ORDER = ['previous', 'current', 'next'];

/** The key that signs; null before the start that made one. */
export async function currentProofKey(
  db: Db | Trx,
  accountId: string,
): Promise<SealedProofKey | null> {
  const row = await db
    .selectFrom('proof_key')
    .select(['kid', 'private_key_sealed'])
    .where('account_id', '=', accountId)
    .where('state', '=', 'current')
    .executeTakeFirst();
  return row?.private_key_sealed == null
    ? null
    : { kid: row.kid, private_key_sealed: row.private_key_sealed };
}

/** Adds a key pair, unless the account has one in this state. */
export async function addProofKey(
  context: Pick<Context, 'ids' | 'secrets' | 'clock'>,
  db: Db | Trx,
  accountId: string,
  state: 'next' | 'current',
): Promise<void> {
  await db
    .insertInto('proof_key')
    .values({
      ...newProofKey(context),
      account_id: accountId,
      state,
      created_at: timestamp(context.clock.now()),
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'state']).doNothing())
    .execute();
}

/** Accounts of an earlier version get their first key. */
export async function addMissingProofKeys(context: Context): Promise<void> {
  const accounts = await context.db
    .selectFrom('account')
    .select('id')
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('proof_key')
            .select('kid')
            .whereRef('proof_key.account_id', '=', 'account.id')
            .where('state', '=', 'current'),
        ),
      ),
    )
    .execute();
  for (const { id } of accounts) await addProofKey(context, context.db, id, 'current');
}

/**
 * The next key begins to sign, and the current one becomes the previous one. Pages must pin the
 * next key before.
 * @throws ServiceError `InvalidState` without a next key
 */
export async function rotateProofKey(context: Context, accountId: string): Promise<void> {
  await transact(context.db, async (trx) => {
    const rows = await trx
      .selectFrom('proof_key')
      .select(['kid', 'state'])
      .where('account_id', '=', accountId)
      .forUpdate()
      .execute();
    if (!rows.some(({ state }) => state === 'next'))
      throw new ServiceError('InvalidState', 'The account has no next key.');
    await trx
      .deleteFrom('proof_key')
      .where('account_id', '=', accountId)
      .where('state', '=', 'previous')
      .execute();
    for (const [from, change] of [
      ['current', { state: 'previous' as const, private_key_sealed: null }],
      ['next', { state: 'current' as const }],
    ] as const)
      await trx
        .updateTable('proof_key')
        .set(change)
        .where('account_id', '=', accountId)
        .where('state', '=', from)
        .execute();
  });
}
