import {
  decimalsOf as decimalsIn,
  formatAmount,
  parseAmount,
} from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { createRefund as schema } from '@crypto-checkout/protocol/schema/refund';
import type { z } from 'zod';
import { ServiceError } from '../http/error.ts';
import { invalid } from '../http/invalid.ts';
import { validate } from '../http/payload.ts';
import { hash } from '../payout/fingerprint.ts';
import type { TransactionRow } from '../transaction/store.ts';
import {
  decimalsOf,
  entitlementOf,
  obstacleOf,
  restOf,
  type Entitlement,
  type MoneyFacts,
} from './entitlement.ts';

/** The caller of a request for a refund. */
export interface RefundCaller {
  accountId: string;
  key: { id: string; maxPayout: string | null; maxPayoutDaily: string | null };
  /** Has `payouts:write`: makes the payout at once, and names the amount. */
  canPayOut: boolean;
}

/** A validated request for a refund. */
export interface RefundRequest {
  payload: z.output<typeof schema>;
  isProven: boolean;
  /** Hash of the parameters; a repeated request has the same one. */
  fingerprint: string;
}

/** @throws ServiceError `ValidationError` with the invalid members */
export function readRefundRequest(input: unknown): RefundRequest {
  const payload = validate(schema, input);
  payload.address = payload.address.trim();
  const { transaction_id, address, destination_tag, amount, network_fee_pays, reference_id } =
    payload;
  const stated = typeof amount === 'string' ? formatAmount(parseAmount(amount)) : null;
  const terms = [transaction_id, address, destination_tag ?? null, stated];
  return {
    payload,
    isProven: payload.is_proven === true,
    fingerprint: hash(JSON.stringify([...terms, network_fee_pays ?? null, reference_id ?? null])),
  };
}

export const isLightning = ({ kind }: Pick<TransactionRow, 'kind'>): boolean =>
  kindOf(kind)?.chain === 'lightning';

/**
 * The payer of the network fee: the recipient by default, the merchant for lightning, where the
 * request fixes the amount.
 * @throws ServiceError `ValidationError` if the caller may not choose it
 */
export function feePayerOf(
  { payload: { network_fee_pays } }: RefundRequest,
  transaction: Pick<TransactionRow, 'kind'>,
  { canPayOut }: Pick<RefundCaller, 'canPayOut'>,
): 'merchant' | 'recipient' {
  if (isLightning(transaction)) {
    if (network_fee_pays === 'recipient')
      throw invalid('network_fee_pays', 'must be merchant for lightning');
    return 'merchant';
  }
  if (network_fee_pays === 'merchant' && !canPayOut)
    throw invalid('network_fee_pays', 'must be recipient without the permission payouts:write');
  return network_fee_pays ?? 'recipient';
}

/**
 * The amount that is returned. The service counts it; only a shop names another one.
 * @throws ServiceError `InvalidState` if nothing can be returned, or not yet; `ValidationError` for
 * a wrong amount
 */
export function amountOf(
  { payload: { amount: text } }: RefundRequest,
  facts: MoneyFacts,
  { canPayOut }: Pick<RefundCaller, 'canPayOut'>,
): Entitlement {
  const { transaction } = facts;
  const obstacle = obstacleOf(transaction);
  if (obstacle !== null)
    throw new ServiceError('InvalidState', `The transaction ${obstacle}; it can't be refunded.`);
  const entitled = entitlementOf(facts);
  const stated = typeof text === 'string' ? parseAmount(text) : (entitled?.amount ?? null);
  if (entitled !== null && stated === entitled.amount) return entitled;
  if (canPayOut && typeof text === 'string' && stated !== null)
    return namedAmount(text, stated, facts, entitled);
  if (entitled !== null)
    throw invalid('amount', `must be ${formatAmount(entitled.amount)}, or be left out`);
  throw new ServiceError(
    'InvalidState',
    'Nothing of the transaction can be refunded: it is not late, in a wrong coin, too much or part of an expired order, and the shop offers nothing.',
  );
}

function namedAmount(
  text: string,
  amount: bigint,
  { transaction }: MoneyFacts,
  entitled: Entitlement | null,
): Entitlement {
  const decimals = decimalsOf(transaction);
  if (decimalsIn(text) > decimals) throw invalid('amount', `may have at most ${decimals} decimals`);
  const rest = restOf(transaction);
  if (amount === 0n || amount > rest)
    throw invalid(
      'amount',
      `must be more than 0 and at most ${formatAmount(rest)}, the received amount less earlier refunds`,
    );
  const isCounted = entitled !== null && amount <= entitled.amount;
  return { cause: isCounted ? entitled.cause : 'offered', amount };
}
