import { AmountError, decimalsOf, formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { leastRelayed } from '@crypto-checkout/protocol/dust';
import { CHAINS, invoiceDecimals, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { AddressError, type ParsedAddress } from '../chain/derive/address-error.ts';
import { parseAddress } from '../chain/derive/target.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { requireRateWithin } from '../invoice/price.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { invalid, invalidAddress, shown } from '../http/invalid.ts';
import { resolveLightning } from './lightning.ts';
import type { PayoutKind, RecipientPayload } from './order.ts';
import type { RecipientRow } from './store.ts';

/** A recipient in the coin that is sent. */
export interface Recipient extends Omit<RecipientRow, 'amount' | 'number' | 'id'> {
  /** What is sent, before the network fee. */
  amount: Amount;
  /** The requested amount in the coin, before the custom fee. */
  gross: Amount;
}

export interface Surroundings {
  kind: PayoutKind;
  network: 'mainnet' | 'testnet';
  stablecoinPrecision: number;
  rates: RateSet;
}

/** @throws ServiceError for whatever is wrong with it */
export async function readRecipient(context: Context, payload: RecipientPayload, at: number, around: Surroundings): Promise<Recipient> {
  const field = `recipients.${at}`;
  const { kind, rates } = around;
  if (payload.exchange_rate_limit)
    requireRateWithin(payload.exchange_rate_limit, {
      coin: kind.coin,
      currency: payload.currency,
      rates,
      field: `${field}.exchange_rate_limit`,
    });
  const requested = typeof payload.amount === 'string' ? requestedAmount(payload.amount, payload.currency, kind.coin, field) : null;
  const gross = requested === null ? null : inCoin(requested, payload.currency, around);
  if (kind.lightning) return lightningRecipient(context, payload, field, around, gross);
  const { address, tag } = readAddress(payload, field, around);
  const amount = afterCustomFee(gross!, payload, field, around);
  requireAboveDust(amount, kind, field);
  return {
    ...common(payload),
    address,
    tag,
    memo: memoOf(payload, kind.chain, tag, field),
    amount,
    gross: gross!,
    payment_request: null,
    lnurl: null,
  };
}

function common(payload: RecipientPayload) {
  const { address, amount, currency, notes, destination_tag, fee_amount, fee_currency } = payload;
  return {
    given_address: address,
    destination_tag: destination_tag ?? null,
    requested_text: amount ?? '0',
    requested_currency: currency,
    custom_fee:
      typeof fee_amount === 'string' && parseAmount(fee_amount) > 0n ? { amount: fee_amount, currency: fee_currency ?? currency } : null,
    notes: notes ?? null,
  };
}

async function lightningRecipient(
  context: Context,
  payload: RecipientPayload,
  field: string,
  around: Surroundings,
  gross: Amount | null,
): Promise<Recipient> {
  if (typeof payload.destination_tag === 'string') throw invalid(`${field}.destination_tag`, 'is for XRP and TON only');
  // A fee comes off what is asked for, so the request has to be for what is left.
  const asked = gross === null ? null : afterCustomFee(gross, payload, field, around);
  const target = await resolveLightning(context, {
    text: payload.address,
    field,
    network: around.network,
    amount: asked,
    beforeFee: gross,
    shown: (amount, rounding) => inCurrency(amount, payload.currency, rounding, around),
  });
  const requested = typeof payload.amount === 'string' ? {} : { requested_text: formatAmount(target.amount), requested_currency: 'BTC' };
  return {
    ...common(payload),
    ...requested,
    address: target.paymentHash,
    tag: null,
    memo: memoOf(payload, 'lightning', null, field),
    amount: target.amount,
    gross: gross ?? target.amount,
    payment_request: target.paymentRequest,
    lnurl: target.lnurl,
  };
}

/** An amount of the coin in the currency that the caller speaks. */
function inCurrency(amount: Amount, currency: string, rounding: 'up' | 'down', { kind: { coin }, rates }: Surroundings): string {
  const decimals = currency === coin.symbol ? 18 : (currencyOf(currency)?.decimals ?? 2);
  return `${formatAmount(convert(amount, coin.symbol, currency, rates, decimals, rounding))} ${currency}`;
}

function requestedAmount(text: string, currency: string, coin: Kind, field: string): Amount {
  const decimals = currency === coin.symbol ? coin.decimals : (currencyOf(currency)?.decimals ?? 2);
  if (decimalsOf(text) > decimals) throw invalid(`${field}.amount`, `may have at most ${decimals} decimals, as ${currency} has`);
  const amount = parseAmount(text);
  if (amount === 0n) throw invalid(`${field}.amount`, 'must be more than zero');
  return amount;
}

/** Amounts from here on can't be written in 18 digits. */
const LIMIT = 10n ** 36n;

/** At the rate of the moment, rounded down: nobody is sent more than was asked for. */
function inCoin(amount: Amount, currency: string, { kind: { coin }, rates, stablecoinPrecision }: Surroundings): Amount {
  if (currency === coin.symbol) return amount;
  const coins = convert(amount, currency, coin.symbol, rates, invoiceDecimals(coin, stablecoinPrecision), 'down');
  if (coins < LIMIT) return coins;
  throw invalid('recipients', `asks for more than 18 digits of ${coin.symbol}`);
}

/** `amount × from ÷ to` in one exact step. */
export function convert(amount: Amount, from: string, to: string, rates: RateSet, decimals: number, rounding: 'up' | 'down'): Amount {
  if (from === to) return amount;
  const unit = 10n ** BigInt(18 - decimals);
  const dividend = amount * rateOf(rates, from);
  const divisor = rateOf(rates, to) * unit;
  return (rounding === 'up' ? (dividend + divisor - 1n) / divisor : dividend / divisor) * unit;
}

function rateOf(rates: RateSet, symbol: string): Amount {
  const rate = rates.usd.get(symbol);
  if (rate !== undefined && rate > 0n) return rate;
  throw new ServiceError('RateUnavailable', `There is no exchange rate for ${symbol} at the moment.`);
}

/** §4.3: the custom fee comes off what the recipient gets. */
function afterCustomFee(gross: Amount, payload: RecipientPayload, field: string, { kind: { coin }, rates }: Surroundings): Amount {
  if (typeof payload.fee_amount !== 'string') return gross;
  const currency = payload.fee_currency ?? payload.currency;
  const decimals = currency === coin.symbol ? coin.decimals : (currencyOf(currency)?.decimals ?? 2);
  if (decimalsOf(payload.fee_amount) > decimals)
    throw invalid(`${field}.fee_amount`, `may have at most ${decimals} decimals, as ${currency} has`);
  const fee = convert(parseAmount(payload.fee_amount), currency, coin.symbol, rates, Math.min(8, coin.decimals), 'up');
  if (fee < gross) return gross - fee;
  throw invalid(`${field}.fee_amount`, 'must be less than the amount: nothing would be left for the recipient');
}

export function requireAboveDust(amount: Amount, { chain, coin }: PayoutKind, field: string): void {
  const least = leastRelayed(chain);
  if (amount > 0n && (least === null || amount >= parseAmount(least))) return;
  throw invalid(
    `${field}.amount`,
    `leaves ${formatAmount(amount)} ${coin.symbol} for the recipient, and the network takes ${least ?? 'more than 0'}`,
  );
}

function readAddress(payload: RecipientPayload, field: string, { kind: { chain }, network }: Surroundings): ParsedAddress {
  const parsed = parse(chain, network, payload.address.trim(), field);
  const given = payload.destination_tag;
  if (typeof given !== 'string') return parsed;
  const name = `${field}.destination_tag`;
  if (chain !== 'xrp' && chain !== 'ton') throw invalid(name, `is for XRP and TON only, not for ${CHAINS[chain].name}`);
  if (chain === 'xrp' && (!/^(0|[1-9]\d{0,9})$/.test(given) || Number(given) > 0xffff_ffff))
    throw invalid(name, `must be a whole number from 0 to 4294967295, not ${shown(given)}`);
  if (parsed.tag !== null && parsed.tag !== given) throw invalid(name, `is ${given}, but the address carries the tag ${parsed.tag}`);
  return { ...parsed, tag: given };
}

function parse(chain: ChainId, network: 'mainnet' | 'testnet', text: string, field: string): ParsedAddress {
  try {
    return parseAddress(chain, network, text);
  } catch (cause) {
    if (!(cause instanceof AddressError) && !(cause instanceof AmountError)) throw cause;
    throw invalidAddress(`${field}.address`, `The address is not one of ${CHAINS[chain].name} on ${network}: ${shown(text)}`, cause);
  }
}

const MEMO = /^memo:\s*/;
const MAX_MEMO_BYTES = 500;
const WITH_MEMO: ReadonlySet<ChainId> = new Set(['ethereum', 'bsc', 'ton']);

/** §4.3: notes that begin with `memo:` are a message on the chain. */
function memoOf({ notes }: RecipientPayload, chain: ChainId, tag: string | null, field: string): string | null {
  if (typeof notes !== 'string' || !MEMO.test(notes)) return null;
  const memo = notes.replace(MEMO, '').trimEnd();
  const name = `${field}.notes`;
  if (!WITH_MEMO.has(chain))
    throw invalid(name, `begins with memo:, and messages are for ETH, BSC and TON only, not for ${CHAINS[chain].name}`);
  if (memo === '') throw invalid(name, 'has nothing behind memo:');
  if (Buffer.byteLength(memo) > MAX_MEMO_BYTES) throw invalid(name, `may have a message of at most ${MAX_MEMO_BYTES} bytes`);
  if (chain === 'ton' && tag !== null && tag !== memo)
    throw invalid(name, 'and destination_tag are both the comment of a TON payment, and differ');
  return memo;
}
