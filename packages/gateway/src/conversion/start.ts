import { formatAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import type { Price } from '../exchange/exchange.ts';
import { pairColumns, type Pair } from '../exchange/pair.ts';
import { holdSale } from './hold.ts';
import { insertConversion, type NewConversion } from './store.ts';

export interface ConversionStart {
  accountId: string;
  origin: 'automatic_conversion' | 'automatic_funding' | 'payout';
  /** Idempotency key: the same key is the same conversion. */
  naturalKey: string;
  ruleId?: string;
  payoutId?: string;
  createdBy: string;
  approvedBy: string | null;
  pair: Pair;
  price: Price;
}

/**
 * Starts a conversion without approval, in the caller's database transaction, and reserves the
 * amount.
 * @returns false if it was started before
 * @throws LedgerError when too little is available; the caller must roll back
 */
export async function startConversion(
  trx: Trx,
  { ids, clock }: Context,
  start: ConversionStart,
): Promise<boolean> {
  const at = timestamp(clock.now());
  const amount = formatAmount(start.price.sold);
  const conversion = {
    account_id: start.accountId,
    id: ids.uuid(),
    origin: start.origin,
    natural_key: start.naturalKey,
    rule_id: start.ruleId ?? null,
    payout_id: start.payoutId ?? null,
    created_at: at,
    created_by: start.createdBy,
    ...pairColumns(start.pair),
    amount_text: amount,
    amount,
    to_amount: formatAmount(start.price.bought),
    status: 'pending',
    is_approved: true,
    approved_by: start.approvedBy,
    hold: 'held',
    updated_at: at,
  } satisfies NewConversion;
  if (!(await insertConversion(trx, conversion))) return false;
  await holdSale(trx, conversion, at);
  return true;
}
