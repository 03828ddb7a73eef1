import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { sql } from 'kysely';
import { ServiceError } from '../http/error.ts';
import { planPayout, type PlannedPayout } from '../payout/create.ts';
import type { Creator } from '../payout/new-payout.ts';
import { readPayoutRequest } from '../payout/request.ts';
import type { TransactionRow } from '../transaction/store.ts';
import { coinOf } from '../sweep/start-sweep.ts';
import { coinSweepFee } from '../sweep/unswept-funds.ts';
import { isLightning } from './request.ts';

/** Money that may have to be swept before it can be returned. */
export interface SweptMoney {
  transaction: Pick<TransactionRow, 'kind' | 'invoice_id'>;
  /** The part of the payment that stays with the shop after this refund and earlier ones. */
  left: Amount;
  amount: Amount;
}

/** The recipient and the amount of a refund. */
export interface RefundTerms extends SweptMoney {
  /** Id of the refund: a refund has at most one payout. */
  id: string;
  transaction: Pick<TransactionRow, 'kind' | 'profile_id' | 'wallet_id' | 'invoice_id'>;
  address: string;
  destination_tag: string | null;
  network_fee_pays: 'merchant' | 'recipient';
}

/**
 * Checks the address, and prices the payout of a refund. Nothing is stored.
 * @throws ServiceError `InvalidAddress`; `ShopAddress` for one that receives payments;
 * `PayoutNetworkFeeTooHigh` and `ValidationError` with the figure if the fee or the dust limit
 * leaves too little
 * @throws UnavailableError if the node does not answer
 */
export async function planRefund(
  context: Context,
  creator: Creator,
  terms: RefundTerms,
): Promise<PlannedPayout> {
  const { id, transaction, address, destination_tag, amount, network_fee_pays } = terms;
  const { kind, profile_id, wallet_id } = transaction;
  const lightning = isLightning(transaction);
  try {
    const request = readPayoutRequest(
      {
        kind: lightning ? 'BTC_LIGHTNING_TO_LIGHTNING' : kind,
        profile_id,
        wallet_id,
        reference_id: `refund ${id}`,
        network_fee_pays,
        recipients: [
          {
            amount: formatAmount(amount),
            currency: lightning ? 'BTC' : kindOf(kind)!.symbol,
            address,
            ...(destination_tag === null ? {} : { destination_tag }),
          },
        ],
      },
      true,
    );
    const sweepFee = await sweepFeeOf(context, terms);
    const planned = await planPayout(context, { ...creator, anyCoin: true, sweepFee }, request);
    await requireNoDeposit(context, planned);
    return planned;
  } catch (error) {
    throw inOwnWords(error);
  }
}

/**
 * The chain's coin lies on its deposit address, and may be all that the wallet has: the sweep is
 * paid from it. The fee stays the same after the sweep, which the shop has paid then.
 */
export async function sweepFeeOf(
  context: Context,
  { transaction: { kind: name, invoice_id }, amount, left }: SweptMoney,
): Promise<Amount> {
  const kind = kindOf(name);
  if (kind === undefined || kind.asset !== coinOf(kind.chain).asset) return 0n;
  const fee = await coinSweepFee(context, kind.chain, invoice_id, amount);
  return fee > left ? fee - left : 0n;
}

/** A buyer who copies the address they paid to would get nothing back. */
async function requireNoDeposit(
  { db }: Context,
  { recipients: [recipient] }: PlannedPayout,
): Promise<void> {
  const { address } = recipient!;
  const isAddress = /^0x/i.test(address)
    ? sql`address like '0x%' and lower(address) = lower(${address})`
    : sql`address = ${address}`;
  const { rows } = await sql`select 1 from invoice where ${isAddress} limit 1`.execute(db);
  if (rows.length > 0)
    throw new ServiceError('ShopAddress', `${address} is an address of the shop.`, {
      errors: [{ field: 'address', message: 'is an address of the shop, which receives payments' }],
    });
}

/** A refund has one recipient, whose members are its own. */
function inOwnWords(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const own = (text: string): string =>
    text.replaceAll('recipients.0.', '').replace("the first recipient's", 'the');
  return new ServiceError(error.reason, own(error.message), {
    cause: error,
    headers: error.headers,
    ...(error.errors && {
      errors: error.errors.map(({ field, message }) => ({ field: own(field), message })),
    }),
  });
}

/** The amount that arrives. */
export const receivedOf = ({ payout }: PlannedPayout): Amount => parseAmount(payout.total);
