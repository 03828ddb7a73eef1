import type { Confirmations } from '@crypto-checkout/protocol/schema/fields/confirmations';
import type { Context } from '../context.ts';
import { readConfirmations } from '../resource/confirmations.ts';
import { confirmationsOf } from './store.ts';

/** Returns the confirmations of payouts, in the order of the ids. */
export function countConfirmations(
  { db }: Context,
  accountId: string,
  input: unknown,
): Promise<Confirmations[]> {
  return readConfirmations('payout', input, (ids) => confirmationsOf(db, accountId, ids));
}
