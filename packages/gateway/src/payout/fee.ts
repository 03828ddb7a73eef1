import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { invoiceDecimals, kindOf } from '@crypto-checkout/protocol/kind';
import type { FeeEstimate } from '../chain/sender.ts';
import { ServiceError } from '../http/error.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { invalid } from '../http/invalid.ts';
import type { Order } from './order.ts';
import { convert, requireAboveDust, type Recipient } from './recipient.ts';

/** Satoshi per byte from here on are a mistake. */
const MAX_FEE_RATE = 1_000;
const MAX_DOGE_FEE_RATE = 100_000;

/** @throws ServiceError `PayoutNetworkFeeTooHigh` */
export function requireModestFee({ kind, payload }: Order, { fee }: FeeEstimate, recipients: readonly Recipient[], rates: RateSet): void {
  const rate = payload.network_fee ?? 0;
  const most = kind.chain === 'dogecoin' ? MAX_DOGE_FEE_RATE : MAX_FEE_RATE;
  if (rate > most) throw feeTooHigh(`The network_fee is ${rate} satoshi per byte, and at most ${most} are sent.`);
  if (payload.network_fee_pays !== 'recipient') return;
  const { amount } = recipients[0]!;
  const share = convert(fee, symbolOf(kind.feeAsset), kind.coin.symbol, rates, kind.coin.decimals, 'up');
  if (share >= amount)
    throw feeTooHigh(
      `The network fee is ${formatAmount(share)} ${kind.coin.symbol}, and the first recipient, who pays it, would get ${formatAmount(amount)}.`,
    );
}

function feeTooHigh(message: string): ServiceError {
  return new ServiceError('PayoutNetworkFeeTooHigh', message);
}

/** §4.3: `recipient` means that the fee comes off what the first one gets. */
export function afterNetworkFee(
  { kind, payload }: Order,
  recipients: readonly Recipient[],
  fee: Amount,
  rates: RateSet,
  precision: number,
): Recipient[] {
  if (payload.network_fee_pays !== 'recipient') return [...recipients];
  const { coin } = kind;
  const decimals = coin.stablecoin ? invoiceDecimals(coin, Math.max(2, precision)) : coin.decimals;
  const share = convert(fee, symbolOf(kind.feeAsset), coin.symbol, rates, decimals, 'up');
  return recipients.map((recipient, at) => {
    if (at > 0) return recipient;
    if (kind.lightning) throw invalid('network_fee_pays', 'must be merchant for lightning: the request says what the recipient gets');
    const amount = recipient.amount - share;
    if (amount <= 0n)
      throw feeTooHigh(`The network fee of ${formatAmount(share)} ${coin.symbol} is more than the first recipient would get.`);
    requireAboveDust(amount, kind, 'recipients.0');
    return { ...recipient, amount };
  });
}

const symbolOf = (asset: string): string => kindOf(asset)?.symbol ?? asset;
