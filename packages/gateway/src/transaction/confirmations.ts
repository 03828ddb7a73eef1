import type { Confirmations } from '@crypto-checkout/protocol/schema/fields/confirmations';
import type { Context } from '../context.ts';
import { readConfirmations } from '../resource/confirmations.ts';
import { confirmationsOf } from './views.ts';

/** Returns the confirmations of transactions. */
export function countConfirmations(
  { db }: Context,
  accountId: string,
  input: unknown,
): Promise<Confirmations[]> {
  return readConfirmations('transaction', input, (ids) => confirmationsOf(db, accountId, ids));
}
