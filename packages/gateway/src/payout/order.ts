import { CHAINS, kindOf, KINDS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { createPayout as schema } from '@crypto-checkout/protocol/schema/payout';
import type { z } from 'zod';
import { validate } from '../http/payload.ts';
import { invalid, shown } from '../http/invalid.ts';
import { fingerprintOf, hash } from './same.ts';

export type PayoutPayload = z.output<typeof schema>;
export type RecipientPayload = PayoutPayload['recipients'][number];

/** What is sent, over which chain. */
export interface PayoutKind {
  /** As it was asked for: a coin kind, or one of the two that only payouts have. */
  kind: string;
  /** What the recipients get. */
  coin: Kind;
  chain: ChainId;
  /** `Kind.asset` of the coin that pays the network. */
  feeAsset: string;
  /** Entries of a profile that enable it, the best first. */
  enabledBy: readonly string[];
  lightning: boolean;
}

/** What a payout is made from, checked as far as it can be alone. */
export interface Order {
  payload: PayoutPayload;
  kind: PayoutKind;
  /** Null without a reference and a passthrough. */
  duplicateKey: string | null;
  /** What it is told by from another payout with the same reference. */
  fingerprint: string;
}

/**
 * @param isOurs whether the service itself asks: its amounts may be in USDT, which §4.3 refuses to callers
 * @throws ServiceError `ValidationError` with the members that are wrong
 */
export function readOrder(input: unknown, isOurs = false): Order {
  const payload = validate(schema, input);
  const kind = payoutKind(payload.kind);
  payload.recipients = payload.recipients.map((recipient) => bySymbol(recipient, kind));
  for (const [at, recipient] of payload.recipients.entries()) checkRecipient(recipient, kind, `recipients.${at}`, isOurs);
  if (kind.lightning && payload.recipients.length > 1) throw invalid('recipients', 'has one entry for a lightning payout');
  if (typeof payload.network_fee === 'number' && !isBytes(kind.chain))
    throw invalid('network_fee', `is in satoshi per byte, which ${kind.kind} does not have; leave it out`);
  return { payload, kind, duplicateKey: duplicateKey(payload), fingerprint: fingerprintOf(payload) };
}

/** Chains whose fee is a rate for each byte. */
const isBytes = (chain: ChainId): boolean => ['utxo', 'liquid'].includes(CHAINS[chain].family);

function payoutKind(name: string): PayoutKind {
  const bitcoin = kindOf('BTC')!;
  if (name === 'BTC_LIGHTNING_TO_LIGHTNING')
    return { kind: name, coin: kindOf(name)!, chain: 'lightning', feeAsset: 'BTC', enabledBy: [name, 'BTC_LIGHTNING'], lightning: true };
  if (name === 'BTC_LIGHTNING_TO_BTC')
    return { kind: name, coin: bitcoin, chain: 'bitcoin', feeAsset: 'BTC', enabledBy: [name, 'BTC_LIGHTNING', 'BTC'], lightning: false };
  const coin = kindOf(name);
  if (coin === undefined) throw invalid('kind', `must be one of the coin kinds, not ${shown(name)}`);
  if (coin.chain === 'lightning')
    throw invalid('kind', `must be BTC_LIGHTNING_TO_LIGHTNING or BTC_LIGHTNING_TO_BTC for a payout over lightning, not ${name}`);
  const feeAsset = KINDS.find(({ chain }) => chain === coin.chain)!.asset;
  return { kind: name, coin, chain: coin.chain, feeAsset, enabledBy: [name, ...(coin.asset === 'BTC' ? ['BTC'] : [])], lightning: false };
}

/** Clients know TON's coin by the name of its kind (§2.1): GRAM is what exchanges call it now (decisions, "Coins"). */
function bySymbol(recipient: RecipientPayload, { coin }: PayoutKind): RecipientPayload {
  const { currency, fee_currency } = recipient;
  const symbolOf = (name: string): string => (name === 'TON' && coin.kind === name ? coin.symbol : name);
  return { ...recipient, currency: symbolOf(currency), ...(typeof fee_currency === 'string' && { fee_currency: symbolOf(fee_currency) }) };
}

function checkRecipient(recipient: RecipientPayload, { lightning, coin }: PayoutKind, field: string, isOurs: boolean): void {
  for (const name of ['currency', 'fee_currency'] as const) {
    const symbol = recipient[name];
    if (typeof symbol === 'string' && !(isOurs && symbol === coin.symbol)) checkCurrency(symbol, coin.symbol, `${field}.${name}`);
  }
  if (typeof recipient.amount !== 'string' && !lightning) throw invalid(`${field}.amount`, 'is required');
}

/** §4.3: the currencies of invoices, without USDT. Beside them the coin that is sent (a choice): GRAM, BNB and others are not among them. */
function checkCurrency(symbol: string, own: string, field: string): void {
  if (symbol === 'USDT')
    throw invalid(field, 'must not be USDT for a payout: state the amount in USD, and what that is worth in the coin is sent');
  if (symbol === own || currencyOf(symbol) !== undefined) return;
  const coin = own === 'USDT' ? '' : `${own}, the coin that is sent, or `;
  throw invalid(field, `must be ${coin}one of the currencies of invoices but USDT, not ${shown(symbol)}`);
}

/** The reference is unique; without one the passthrough is (§4.3). */
function duplicateKey({ reference_id, passthrough }: PayoutPayload): string | null {
  if (typeof reference_id === 'string') return hash(`reference:${reference_id}`);
  return typeof passthrough === 'string' && passthrough !== '' ? hash(`passthrough:${passthrough}`) : null;
}
