import { formatAmount } from '@crypto-checkout/protocol/amount';
import { createConversion as schema } from '@crypto-checkout/protocol/schema/conversion';
import type { Context } from '../context.ts';
import { isDuplicate, timestamp } from '../database/database.ts';
import type { Caller } from '../account/caller.ts';
import { pairColumns, quoteSale, readCoins, readPair } from '../exchange/pair.ts';
import { ServiceError } from '../http/error.ts';
import { validate } from '../http/payload.ts';
import { invalid } from '../http/invalid.ts';
import { findConversion, insertConversion, type ConversionView } from './store.ts';

/**
 * Creates a conversion as a draft. The worker executes it once it is approved and the wallet has
 * enough.
 * @throws ServiceError `AlreadyExists` when the wallet has an open conversion of the kind, and for
 * an invalid payload
 */
export async function createConversion(
  context: Context,
  caller: Caller,
  input: unknown,
): Promise<ConversionView> {
  const payload = validate(schema, input);
  const pair = await readPair(context, caller.accountId, payload);
  const { from } = pair;
  const amount = readCoins(payload.amount, from.kind, 'amount');
  if (amount === 0n) throw invalid('amount', 'must be more than zero');
  const { bought } = await quoteSale(pair, amount);
  const id = context.ids.uuid();
  const at = timestamp(context.clock.now());
  const isApproved = payload.is_approved ?? false;
  try {
    await insertConversion(context.db, {
      account_id: caller.accountId,
      id,
      origin: 'caller',
      created_at: at,
      created_by: caller.name,
      ...pairColumns(pair),
      amount_text: payload.amount,
      amount: formatAmount(amount),
      to_amount: formatAmount(bought),
      status: 'draft',
      is_approved: isApproved,
      approved_by: isApproved ? caller.name : null,
      updated_at: at,
    });
  } catch (error) {
    if (!isDuplicate(error, 'conversion_one')) throw error;
    throw new ServiceError(
      'AlreadyExists',
      `The wallet already has an open conversion of ${from.kind.asset}; only one per kind is allowed.`,
      {
        errors: [{ field: 'from_kind', message: 'has an open conversion in this wallet' }],
      },
    );
  }
  return (await findConversion(context.db, caller.accountId, id))!;
}
