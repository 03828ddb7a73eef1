import {
  AmountError,
  decimalsOf,
  formatAmount,
  parseAmount,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { dustLimit } from '@crypto-checkout/protocol/dust';
import { CHAINS, invoiceDecimals, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { AddressError, type ParsedAddress } from '@crypto-checkout/chains/parsed-address';
import { parseAddress } from '@crypto-checkout/chains/deposit-target';
import type { Context } from '../context.ts';
import { requireRateWithin } from '../invoice/price.ts';
import { convert } from '../rate/convert.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { invalid, invalidAddress, shown } from '../http/invalid.ts';
import { resolveLightning } from './lightning.ts';
import { otherChainOf } from './other-chain.ts';
import type { RecipientPayload } from './payload.ts';
import type { PayoutKind } from './request.ts';
import type { RecipientRow } from './store.ts';

/** A recipient, with amounts in the coin that is sent. */
export interface Recipient extends Omit<RecipientRow, 'amount' | 'number' | 'id'> {
  /** The amount to send, before the network fee. */
  amount: Amount;
  /** The requested amount in the coin, before the custom fee. */
  gross: Amount;
}

export interface RecipientOptions {
  kind: PayoutKind;
  network: 'mainnet' | 'testnet';
  stablecoinPrecision: number;
  rates: RateSet;
}

/** @throws ServiceError if a field is invalid */
export async function readRecipient(
  context: Context,
  payload: RecipientPayload,
  index: number,
  options: RecipientOptions,
): Promise<Recipient> {
  const field = `recipients.${index}`;
  const { kind, rates } = options;
  if (payload.exchange_rate_limit)
    requireRateWithin(payload.exchange_rate_limit, {
      coin: kind.coin,
      currency: payload.currency,
      rates,
      field: `${field}.exchange_rate_limit`,
    });
  const requested =
    typeof payload.amount === 'string'
      ? requestedAmount(payload.amount, payload.currency, kind.coin, field)
      : null;
  const gross = requested === null ? null : inCoin(requested, payload.currency, options);
  if (kind.lightning) return lightningRecipient(context, payload, field, options, gross);
  const { address, tag } = readAddress(payload, field, options);
  const amount = afterCustomFee(gross!, payload, field, options);
  requireAboveDust(amount, kind, field);
  return {
    ...commonFields(payload),
    address,
    tag,
    memo: memoOf(payload, kind.chain, tag, field),
    amount,
    gross: gross!,
    payment_request: null,
    lnurl: null,
  };
}

function commonFields(payload: RecipientPayload) {
  const { address, amount, currency, notes, destination_tag, fee_amount, fee_currency } = payload;
  return {
    given_address: address,
    destination_tag: destination_tag ?? null,
    requested_text: amount ?? '0',
    requested_currency: currency,
    custom_fee:
      typeof fee_amount === 'string' && parseAmount(fee_amount) > 0n
        ? { amount: fee_amount, currency: fee_currency ?? currency }
        : null,
    notes: notes ?? null,
  };
}

async function lightningRecipient(
  context: Context,
  payload: RecipientPayload,
  field: string,
  options: RecipientOptions,
  gross: Amount | null,
): Promise<Recipient> {
  if (typeof payload.destination_tag === 'string')
    throw invalid(`${field}.destination_tag`, 'is for XRP and TON only');
  // The custom fee is deducted first, so the request must ask for the remainder.
  const amount = gross === null ? null : afterCustomFee(gross, payload, field, options);
  const target = await resolveLightning(context, {
    text: payload.address,
    field,
    network: options.network,
    amount,
    beforeFee: gross,
    display: (value, rounding) => inCurrency(value, payload.currency, rounding, options),
  });
  const requested =
    typeof payload.amount === 'string'
      ? {}
      : { requested_text: formatAmount(target.amount), requested_currency: 'BTC' };
  return {
    ...commonFields(payload),
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

/** Formats an amount of the coin in the caller's currency. */
function inCurrency(
  amount: Amount,
  currency: string,
  rounding: 'up' | 'down',
  { kind: { coin }, rates }: RecipientOptions,
): string {
  const decimals = currency === coin.symbol ? 18 : (currencyOf(currency)?.decimals ?? 2);
  return `${formatAmount(convert(amount, coin.symbol, currency, rates, decimals, rounding))} ${currency}`;
}

function requestedAmount(text: string, currency: string, coin: Kind, field: string): Amount {
  const decimals = currency === coin.symbol ? coin.decimals : (currencyOf(currency)?.decimals ?? 2);
  if (decimalsOf(text) > decimals)
    throw invalid(`${field}.amount`, `may have at most ${decimals} decimals, as ${currency} has`);
  const amount = parseAmount(text);
  if (amount === 0n) throw invalid(`${field}.amount`, 'must be more than zero');
  return amount;
}

/** Larger amounts need more than 18 integer digits. */
const AMOUNT_LIMIT = 10n ** 36n;

/** At the current rate, rounded down: never more than requested. */
function inCoin(
  amount: Amount,
  currency: string,
  { kind: { coin }, rates, stablecoinPrecision }: RecipientOptions,
): Amount {
  if (currency === coin.symbol) return amount;
  // One source with a wrong price would pay out too many coins.
  if (rates.unconfirmed?.has(coin.symbol) === true)
    throw invalid(
      'recipients',
      `must be priced in ${coin.symbol}, because only one source gives its exchange rate`,
    );
  const coins = convert(
    amount,
    currency,
    coin.symbol,
    rates,
    invoiceDecimals(coin, stablecoinPrecision),
    'down',
  );
  if (coins < AMOUNT_LIMIT) return coins;
  throw invalid('recipients', `must not exceed 18 digits of ${coin.symbol}`);
}

/** The custom fee is deducted from the recipient's amount. */
function afterCustomFee(
  gross: Amount,
  payload: RecipientPayload,
  field: string,
  { kind: { coin }, rates }: RecipientOptions,
): Amount {
  if (typeof payload.fee_amount !== 'string') return gross;
  const currency = payload.fee_currency ?? payload.currency;
  const decimals = currency === coin.symbol ? coin.decimals : (currencyOf(currency)?.decimals ?? 2);
  if (decimalsOf(payload.fee_amount) > decimals)
    throw invalid(
      `${field}.fee_amount`,
      `may have at most ${decimals} decimals, as ${currency} has`,
    );
  const fee = convert(
    parseAmount(payload.fee_amount),
    currency,
    coin.symbol,
    rates,
    Math.min(8, coin.decimals),
    'up',
  );
  if (fee < gross) return gross - fee;
  throw invalid(`${field}.fee_amount`, 'must be less than the amount');
}

export function requireAboveDust(amount: Amount, { chain, coin }: PayoutKind, field: string): void {
  const minimum = dustLimit(chain);
  if (amount > 0n && (minimum === null || amount >= parseAmount(minimum))) return;
  throw invalid(
    `${field}.amount`,
    `leaves ${formatAmount(amount)} ${coin.symbol} for the recipient; the network requires ${minimum === null ? 'more than 0' : `at least ${minimum}`}`,
  );
}

function readAddress(
  payload: RecipientPayload,
  field: string,
  { kind: { chain }, network }: RecipientOptions,
): ParsedAddress {
  const parsed = parse(chain, network, payload.address.trim(), field);
  const tag = payload.destination_tag;
  if (typeof tag !== 'string') return parsed;
  const name = `${field}.destination_tag`;
  if (chain !== 'xrp' && chain !== 'ton')
    throw invalid(name, `is for XRP and TON only, not for ${CHAINS[chain].name}`);
  if (chain === 'xrp' && (!/^(0|[1-9]\d{0,9})$/.test(tag) || Number(tag) > 0xffff_ffff))
    throw invalid(name, `must be a whole number from 0 to 4294967295, not ${shown(tag)}`);
  if (parsed.tag !== null && parsed.tag !== tag)
    throw invalid(name, `is ${tag}, but the address has the tag ${parsed.tag}`);
  return { ...parsed, tag };
}

function parse(
  chain: ChainId,
  network: 'mainnet' | 'testnet',
  text: string,
  field: string,
): ParsedAddress {
  try {
    return parseAddress(chain, network, text);
  } catch (cause) {
    if (!(cause instanceof AddressError) && !(cause instanceof AmountError)) throw cause;
    const other = otherChainOf(chain, network, text);
    const { name } = CHAINS[chain];
    const remedy =
      other === null ? '' : ` is an address of ${CHAINS[other].name}; name one of ${name}`;
    throw invalidAddress(
      `${field}.address`,
      `Invalid ${name} address on ${network}: ${shown(text)}${remedy}`,
      cause,
    );
  }
}

const MEMO = /^memo:\s*/;
const MAX_MEMO_BYTES = 500;
const WITH_MEMO: ReadonlySet<ChainId> = new Set(['ethereum', 'bsc', 'ton']);

/** Notes that begin with `memo:` are sent on the chain. */
function memoOf(
  { notes }: RecipientPayload,
  chain: ChainId,
  tag: string | null,
  field: string,
): string | null {
  if (typeof notes !== 'string' || !MEMO.test(notes)) return null;
  const memo = notes.replace(MEMO, '').trimEnd();
  const name = `${field}.notes`;
  if (!WITH_MEMO.has(chain))
    throw invalid(
      name,
      `begins with memo:, which is for ETH, BSC and TON only, not for ${CHAINS[chain].name}`,
    );
  if (memo === '') throw invalid(name, 'has no text after memo:');
  if (Buffer.byteLength(memo) > MAX_MEMO_BYTES)
    throw invalid(name, `may have a memo of at most ${MAX_MEMO_BYTES} bytes`);
  if (chain === 'ton' && tag !== null && tag !== memo)
    throw invalid(name, 'must equal destination_tag: both are the comment of a TON payment');
  return memo;
}
