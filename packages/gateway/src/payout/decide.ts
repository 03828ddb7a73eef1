import { approvePayout as schema } from '@crypto-checkout/protocol/schema/payout';
import { readLying } from '../consolidation/lying.ts';
import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';
import { LedgerError } from '../wallet/post.ts';
import { insufficientFunds } from './need.ts';
import { holdFunds } from './hold.ts';
import { movePayout } from './move.ts';
import { findPayouts, lockPayout, type LockedPayout, type PayoutView } from './store.ts';

export interface Approver {
  accountId: string;
  username: string;
  email: string | null;
}

/**
 * Approves or rejects a draft (§4.3); of several at once one decides. What is approved is held back in the same moment.
 * @throws ServiceError `NotFound`, `InvalidState` when it is no draft any more, `InsufficientFunds` (it stays a draft)
 */
export async function decidePayout(
  context: Context,
  { accountId, username, email }: Approver,
  id: string,
  input: unknown,
): Promise<PayoutView> {
  const { approve } = validate(schema, input);
  const known = isUuid(id) ? (await findPayouts(context.db, [id]))[0] : undefined;
  if (known === undefined || known.account_id !== accountId) throw new ServiceError('NotFound', 'There is no payout with this id.');
  const lying = approve && known.status === 'draft' ? await readLying(context, known.chain, known.wallet_id) : null;
  const decide = (hold: boolean): Promise<LockedPayout> =>
    transact(context.db, async (trx) => {
      const payout = (await lockPayout(trx, id))!;
      if (payout.status !== 'draft')
        throw new ServiceError('InvalidState', `The payout is ${payout.status}: only a draft can be approved or rejected.`);
      const approved_at = timestamp(context.clock.now());
      if (!approve) {
        await movePayout(trx, context, payout, ['rejected']);
        return payout;
      }
      if (hold && lying !== null) await holdFunds(trx, payout, approved_at, lying);
      await movePayout(trx, context, payout, ['new'], {
        approved_at,
        approved_by: { username, email },
        hold: hold && lying !== null ? 'held' : 'none',
      });
      return payout;
    });
  const payout = await decide(true).catch(async (error: unknown) => {
    if (!(error instanceof LedgerError)) throw error;
    const [profile] = await context.db.selectFrom('profile').select('reserve_wallet').where('id', '=', known.profile_id).execute();
    // With a reserve wallet it waits for the money, as one that is created does.
    if (!profile?.reserve_wallet) throw insufficientFunds(known, lying!);
    return decide(false);
  });
  return (await findPayouts(context.db, [payout.id]))[0]!;
}
