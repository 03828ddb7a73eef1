import { CHAINS, kindOf, KINDS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { createPayout as schema } from '@crypto-checkout/protocol/schema/payout';
import { validate } from '../http/payload.ts';
import { invalid, shown, unknownKind } from '../http/invalid.ts';
import { fingerprintOf, hash } from './fingerprint.ts';
import type { PayoutPayload, RecipientPayload } from './payload.ts';

/** The coin and the chain of a payout. */
export interface PayoutKind {
  /** The requested kind: a coin kind, or one of the two that only payouts have. */
  kind: string;
  /** The coin that the recipients receive. */
  coin: Kind;
  chain: ChainId;
  /** `Kind.asset` of the coin that pays the network fee. */
  feeAsset: string;
  /** Kinds of profile currencies that enable it, in order of preference. */
  enabledBy: readonly string[];
  lightning: boolean;
}

/** A validated request to create a payout. */
export interface PayoutRequest {
  payload: PayoutPayload;
  kind: PayoutKind;
  /** Null if the request has neither a reference nor a passthrough. */
  duplicateKey: string | null;
  /** Hash of the parameters; a repeated request has the same one. */
  fingerprint: string;
}

/**
 * @param isInternal true if the service itself creates the payout: then amounts may be in USDT
 * @throws ServiceError `ValidationError` with the invalid members
 */
export function readPayoutRequest(input: unknown, isInternal = false): PayoutRequest {
  const payload = validate(schema, input);
  const kind = payoutKind(payload.kind);
  payload.recipients = payload.recipients.map((recipient) => withSymbols(recipient, kind));
  for (const [index, recipient] of payload.recipients.entries())
    checkRecipient(recipient, kind, `recipients.${index}`, isInternal);
  if (kind.lightning && payload.recipients.length > 1)
    throw invalid('recipients', 'must have one entry for a lightning payout');
  if (typeof payload.network_fee === 'number' && !isFeePerByte(kind.chain))
    throw invalid(
      'network_fee',
      `is in satoshi per byte, which ${kind.kind} does not use; leave it out`,
    );
  return {
    payload,
    kind,
    duplicateKey: duplicateKey(payload),
    fingerprint: fingerprintOf(payload),
  };
}

/** Chains whose fee is a rate per byte. */
const isFeePerByte = (chain: ChainId): boolean => ['utxo', 'liquid'].includes(CHAINS[chain].family);

function payoutKind(name: string): PayoutKind {
  const bitcoin = kindOf('BTC')!;
  if (name === 'BTC_LIGHTNING_TO_LIGHTNING')
    return {
      kind: name,
      coin: kindOf(name)!,
      chain: 'lightning',
      feeAsset: 'BTC',
      enabledBy: [name, 'BTC_LIGHTNING'],
      lightning: true,
    };
  if (name === 'BTC_LIGHTNING_TO_BTC')
    return {
      kind: name,
      coin: bitcoin,
      chain: 'bitcoin',
      feeAsset: 'BTC',
      enabledBy: [name, 'BTC_LIGHTNING', 'BTC'],
      lightning: false,
    };
  const coin = kindOf(name);
  if (coin === undefined) throw unknownKind('kind', name);
  if (coin.chain === 'lightning')
    throw invalid(
      'kind',
      `must be BTC_LIGHTNING_TO_LIGHTNING or BTC_LIGHTNING_TO_BTC for a payout over lightning, not ${name}`,
    );
  const feeAsset = KINDS.find(({ chain }) => chain === coin.chain)!.asset;
  return {
    kind: name,
    coin,
    chain: coin.chain,
    feeAsset,
    enabledBy: [name, ...(coin.asset === 'BTC' ? ['BTC'] : [])],
    lightning: false,
  };
}

/** Clients may call TON's coin `TON`, the name of its kind; exchanges call it GRAM. */
function withSymbols(recipient: RecipientPayload, { coin }: PayoutKind): RecipientPayload {
  const { currency, fee_currency } = recipient;
  const symbolOf = (name: string): string =>
    name === 'TON' && coin.kind === name ? coin.symbol : name;
  return {
    ...recipient,
    currency: symbolOf(currency),
    ...(typeof fee_currency === 'string' && { fee_currency: symbolOf(fee_currency) }),
  };
}

function checkRecipient(
  recipient: RecipientPayload,
  { lightning, coin }: PayoutKind,
  field: string,
  isInternal: boolean,
): void {
  for (const name of ['currency', 'fee_currency'] as const) {
    const symbol = recipient[name];
    if (typeof symbol === 'string' && !(isInternal && symbol === coin.symbol))
      checkCurrency(symbol, coin.symbol, `${field}.${name}`);
  }
  if (typeof recipient.amount !== 'string' && !lightning)
    throw invalid(`${field}.amount`, 'is required');
}

/**
 * Currencies of invoices except USDT, and the coin that is sent: GRAM, BNB and others are not
 * invoice currencies.
 */
function checkCurrency(symbol: string, own: string, field: string): void {
  if (symbol === 'USDT')
    throw invalid(
      field,
      'must not be USDT for a payout: state the amount in USD, and its value is sent in the coin',
    );
  if (symbol === own || currencyOf(symbol) !== undefined) return;
  const coin = own === 'USDT' ? '' : `${own}, the coin that is sent, or `;
  throw invalid(field, `must be ${coin}an invoice currency other than USDT, not ${shown(symbol)}`);
}

/** `reference_id` is unique; without one `passthrough` is. */
function duplicateKey({ reference_id, passthrough }: PayoutPayload): string | null {
  if (typeof reference_id === 'string') return hash(`reference:${reference_id}`);
  return typeof passthrough === 'string' && passthrough !== ''
    ? hash(`passthrough:${passthrough}`)
    : null;
}
