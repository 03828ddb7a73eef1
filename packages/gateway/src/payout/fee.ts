import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { invoiceDecimals, kindOf } from '@crypto-checkout/protocol/kind';
import { OtherNetworkError } from '@crypto-checkout/chains/parsed-address';
import type { ChainSender, FeeEstimate, SendRequest } from '@crypto-checkout/chains/sender';
import { ServiceError, UnavailableError } from '../http/error.ts';
import { convert } from '../rate/convert.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { invalid, invalidAddress } from '../http/invalid.ts';
import type { PayoutRequest } from './request.ts';
import { requireAboveDust, type Recipient } from './recipient.ts';

/** Satoshi per byte, for chains without `maxFeeRate`. */
const MAX_FEE_RATE = 1_000;

/**
 * The fee that a recipient pays. Money that must be swept first pays for both transactions, up to
 * their maximum: nothing else may be in the wallet.
 */
export const deductedFee = ({ fee, reserve }: FeeEstimate, sweepFee: Amount = 0n): Amount =>
  sweepFee === 0n ? fee : reserve + sweepFee;

/** @throws ServiceError `PayoutNetworkFeeTooHigh` */
export function requireReasonableFee(
  { kind, payload }: PayoutRequest,
  fee: Amount,
  recipients: readonly Recipient[],
  rates: RateSet,
): void {
  const rate = payload.network_fee ?? 0;
  const maximum = CHAIN_DETAILS[kind.chain].maxFeeRate ?? MAX_FEE_RATE;
  if (rate > maximum)
    throw feeTooHigh(`The network_fee is ${rate} satoshi per byte; the maximum is ${maximum}.`);
  if (payload.network_fee_pays !== 'recipient') return;
  const { amount } = recipients[0]!;
  const share = convert(
    fee,
    symbolOf(kind.feeAsset),
    kind.coin.symbol,
    rates,
    kind.coin.decimals,
    'up',
  );
  if (share >= amount)
    throw feeTooHigh(
      `The network fee of ${formatAmount(share)} ${kind.coin.symbol} leaves nothing of the first recipient's ${formatAmount(amount)}.`,
    );
}

function feeTooHigh(message: string): ServiceError {
  return new ServiceError('PayoutNetworkFeeTooHigh', message);
}

/** `recipient`: the fee is deducted from the first recipient. */
export function afterNetworkFee(
  { kind, payload }: PayoutRequest,
  recipients: readonly Recipient[],
  fee: Amount,
  rates: RateSet,
  precision: number,
): Recipient[] {
  if (payload.network_fee_pays !== 'recipient') return [...recipients];
  const { coin } = kind;
  const decimals = coin.stablecoin ? invoiceDecimals(coin, Math.max(2, precision)) : coin.decimals;
  const share = convert(fee, symbolOf(kind.feeAsset), coin.symbol, rates, decimals, 'up');
  return recipients.map((recipient, index) => {
    if (index > 0) return recipient;
    if (kind.lightning)
      throw invalid(
        'network_fee_pays',
        'must be merchant for lightning: the request fixes the amount',
      );
    const amount = recipient.amount - share;
    if (amount <= 0n)
      throw feeTooHigh(
        `The network fee of ${formatAmount(share)} ${coin.symbol} leaves nothing for the first recipient.`,
      );
    requireAboveDust(amount, kind, 'recipients.0');
    return { ...recipient, amount };
  });
}

const symbolOf = (asset: string): string => kindOf(asset)?.symbol ?? asset;

/**
 * @throws ServiceError `InvalidAddress` for an address of another network than the node's
 * @throws UnavailableError if the node does not answer
 */
export async function estimateFee(sender: ChainSender, request: SendRequest): Promise<FeeEstimate> {
  const estimate = sender.estimate(request).catch((error: unknown) => {
    if (!(error instanceof OtherNetworkError)) throw error;
    const index = request.outputs.findIndex(({ address }) => address === error.address);
    throw invalidAddress(`recipients.${index}.address`, error.message, error);
  });
  return requireAnswer(sender, estimate);
}

/** @throws UnavailableError for any error of the node */
export async function requireAnswer<T>({ chain }: ChainSender, response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new UnavailableError(`The chain ${chain} does not answer`, { cause });
  }
}
