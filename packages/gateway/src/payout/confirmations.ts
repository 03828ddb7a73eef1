import type { Confirmations } from '@crypto-checkout/protocol/schema/confirmations';
import type { Context } from '../context.ts';
import { readConfirmations } from '../http/confirmations.ts';
import { confirmationsOf } from './store.ts';

/** How deep payouts are (§4.3). */
export function countConfirmations({ db }: Context, accountId: string, input: unknown): Promise<Confirmations[]> {
  return readConfirmations('payout', input, (ids) => confirmationsOf(db, accountId, ids));
}
