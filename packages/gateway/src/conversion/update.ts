import { formatAmount } from '@crypto-checkout/protocol/amount';
import { updateConversion as schema } from '@crypto-checkout/protocol/schema/conversion';
import type { Updateable } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';
import type { ConversionTable } from '../database/tables/conversion.ts';
import type { Caller } from '../account/caller.ts';
import { quoteSale, readCoins, readPair, targetColumns } from '../exchange/pair.ts';
import { ServiceError } from '../http/error.ts';
import { validate } from '../http/payload.ts';
import { invalid } from '../http/invalid.ts';
import { getConversion } from './get.ts';
import { saveConversion, type ConversionView } from './store.ts';

/** Attempts before a concurrent change is reported. */
const ATTEMPTS = 20;

/**
 * Changes a draft. A caller who changes an approved draft becomes its approver.
 * @throws ServiceError `NotFound`, `InvalidState` if it is not a draft, and for an invalid payload
 */
export async function updateConversion(
  context: Context,
  caller: Caller,
  id: string,
  input: unknown,
): Promise<ConversionView> {
  const payload = validate(schema, input);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const draft = await getConversion(context, caller.accountId, id);
    requireDraft(draft, 'changed');
    const change = await changeOf(context, caller, draft, payload);
    if (change === null) return draft;
    if (
      await saveConversion(context.db, draft, {
        ...change,
        updated_at: timestamp(context.clock.now()),
      })
    )
      return getConversion(context, caller.accountId, id);
  }
  throw new ServiceError('InvalidState', 'The conversion was changed concurrently; try again.');
}

/** @throws ServiceError `InvalidState` */
export function requireDraft({ status }: Pick<ConversionView, 'status'>, verb: string): void {
  if (status === 'draft') return;
  throw new ServiceError(
    'InvalidState',
    `The conversion is ${status}: only a draft can be ${verb}.`,
  );
}

type Payload = z.output<typeof schema>;

/** @returns null for an empty change */
async function changeOf(
  context: Context,
  { accountId, name }: Caller,
  draft: ConversionView,
  payload: Payload,
): Promise<Updateable<ConversionTable> | null> {
  if (Object.values(payload).every((value) => value === null || value === undefined)) return null;
  const { is_approved: approved, ...terms } = payload;
  const isApproved = approved ?? draft.is_approved;
  const approval = { is_approved: isApproved, approved_by: isApproved ? name : null };
  // A change of the approval needs no rate, so it works while no rate is available.
  if (Object.values(terms).every((value) => value === null || value === undefined)) return approval;
  const merged = mergeWith(draft, payload);
  const pair = await readPair(context, accountId, merged);
  const amount = readCoins(merged.amount, pair.from.kind, 'amount');
  if (amount === 0n) throw invalid('amount', 'must be more than zero');
  const { bought } = await quoteSale(pair, amount);
  return {
    ...targetColumns(pair),
    amount_text: merged.amount,
    amount: formatAmount(amount),
    to_amount: formatAmount(bought),
    ...approval,
  };
}

function mergeWith(draft: ConversionView, payload: Payload) {
  return {
    from_wallet: draft.from_wallet_id,
    from_kind: draft.from_kind,
    to_wallet: payload.to_wallet ?? draft.to_wallet_id,
    to_kind: payload.to_kind ?? draft.to_kind,
    amount: payload.amount ?? draft.amount_text,
    exchange: payload.exchange ?? draft.exchange,
  };
}
