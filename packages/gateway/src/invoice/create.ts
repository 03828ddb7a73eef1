import {
  decimalsOf,
  formatAmount,
  parseAmount,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { CURRENCIES, currencyOf } from '@crypto-checkout/protocol/currency';
import { notOneOf } from '@crypto-checkout/protocol/spelling';
import { kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { createInvoice as schema } from '@crypto-checkout/protocol/schema/invoice';
import type { z } from 'zod';
import type { ChainAdapter, DepositTarget } from '@crypto-checkout/chains/adapter';
import { defaultConfirmations } from '../profile/default-confirmations.ts';
import { whyDisabled } from '../profile/disabled-kinds.ts';
import type { SealedProofKey } from '../account/proof-key.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../database/timestamp.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { invalid, unknownKind } from '../http/invalid.ts';
import { validate } from '../http/payload.ts';
import { deriveTarget, LNURL } from './derive-target.ts';
import { lnurlBounds, MAX_LIGHTNING_PAYMENT } from './lnurl-bounds.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { proveInvoice, proveRequest } from './proof.ts';
import { convertAmount, priceInvoice, requireRateWithin, type Price } from './price.ts';
import { findInvoiceProfile, type InvoiceProfile, type InvoiceView } from './store.ts';
import { insertInvoice, type NewInvoice, type NumberedTarget } from './insert.ts';
import { BESIDE, requestBeside } from './with-lightning.ts';

/** A validated request for an invoice. */
interface InvoiceRequest {
  kind: Kind;
  payload: z.output<typeof schema>;
  requested: Amount | null;
}

/**
 * Creates an invoice with its price and a new deposit address or lightning request.
 * @param input the unvalidated payload
 * @throws ServiceError for an invalid payload; then nothing was written
 */
export async function createInvoice(
  context: Context,
  accountId: string,
  input: unknown,
): Promise<InvoiceView> {
  const order = readOrder(input);
  const { payload, kind } = order;
  const [profile, rates] = await Promise.all([
    findProfile(context, accountId, order),
    ratesFor(context, order),
  ]);
  const adapter = requireEnabled(context, profile, kind);
  if (payload.exchange_rate_limit)
    requireRateWithin(payload.exchange_rate_limit, {
      coin: kind,
      currency: payload.currency,
      rates,
    });
  const fee = feeOf(order, profile, rates);
  const price = priceInvoice({
    kind,
    requested: order.requested,
    currency: payload.currency,
    fee: fee ?? 0n,
    stablecoinPrecision: profile.stablecoin_precision,
    rates,
  });
  requirePayable(kind, profile, price);
  const invoice = newInvoice(context, accountId, order, profile, price, fee);
  const { id, invoiced, notes } = invoice;
  // A lightning request without an amount must expire: it lives as long as the profile's addresses.
  const expiration_seconds = invoice.expiration_seconds ?? profile.addresses_expiration;
  const wanted = { id, kind: kind.kind, invoiced, notes, expiration_seconds };
  const target = await deriveTarget(
    context,
    adapter,
    wanted,
    profile.address_format === null ? {} : { format: profile.address_format },
  );
  const beside =
    payload.with_lightning === true && (await isLightningEnabled(context, accountId, profile))
      ? await requestBeside(context, wanted)
      : null;
  const view = viewOf(invoice, target, profile.is_testnet, beside);
  const key = proofKeyOf(profile);
  view.proof = proveInvoice(context.secrets, key, view);
  view.lightning_proof = beside && proveRequest(context.secrets, key, view);
  await insertInvoice(context.db, invoice, target, {
    rates: price.currencyRates,
    proof: view.proof,
    beside,
    lightningProof: view.lightning_proof,
  });
  return view;
}

const isLightningEnabled = async (
  { db }: Context,
  accountId: string,
  { id }: InvoiceProfile,
): Promise<boolean> => (await findInvoiceProfile(db, accountId, id, BESIDE))?.wallet_id != null;

/**
 * An amount in the coin itself, or none, needs no exchange rate.
 * @throws ServiceError `RateUnavailable` if it needs one and there is none
 */
async function ratesFor(
  { rates, clock }: Context,
  { kind, payload, requested }: InvoiceRequest,
): Promise<RateSet> {
  try {
    return await rates.current();
  } catch (error) {
    const needsRate = requested !== null && payload.currency !== kind.symbol;
    const isMissing = error instanceof ServiceError && error.reason === 'RateUnavailable';
    if (needsRate || !isMissing) throw error;
    return { usd: new Map(), at: clock.now(), stale: true };
  }
}

const proofKeyOf = ({ proof_kid, proof_key_sealed }: InvoiceProfile): SealedProofKey | null =>
  proof_kid === null || proof_key_sealed === null
    ? null
    : { kid: proof_kid, private_key_sealed: proof_key_sealed };

/** @throws ServiceError `ValidationError` with the invalid fields */
function readOrder(input: unknown): InvoiceRequest {
  const payload = validate(schema, input);
  const kind = kindOf(payload.kind);
  if (!kind) throw unknownKind('kind', payload.kind);
  const currency = currencyOf(payload.currency);
  if (!currency)
    throw invalid(
      'currency',
      notOneOf(
        'currencies',
        payload.currency,
        CURRENCIES.map(({ symbol }) => symbol),
      ),
    );
  if (payload.zero_conf_enabled === true && kind.chain !== 'bitcoin')
    throw invalid(
      'zero_conf_enabled',
      `is allowed for bitcoin on-chain only, not for ${kind.kind}`,
    );
  if (payload.with_lightning === true && (kind.chain !== 'bitcoin' || payload.amount === undefined))
    throw invalid('with_lightning', 'is allowed for bitcoin on-chain with an amount only');
  for (const field of ['notes', 'passthrough', 'order_id'] as const) {
    // A lone surrogate has no UTF-8 encoding, so the text could not be returned unchanged.
    if (/\p{Surrogate}/u.test(payload[field] ?? ''))
      throw invalid(field, 'must be well-formed Unicode');
  }
  if (typeof payload.fee_amount === 'string' && decimalsOf(payload.fee_amount) > kind.decimals)
    throw invalid('fee_amount', `may have at most ${kind.decimals} decimals, as ${kind.kind} has`);
  return { kind, payload, requested: requestedAmount(payload.amount ?? null, currency) };
}

function requestedAmount(
  text: string | null,
  { symbol, decimals }: { symbol: string; decimals: number },
): Amount | null {
  if (text === null) return null;
  if (decimalsOf(text) > decimals)
    throw invalid('amount', `may have at most ${decimals} decimals, as ${symbol} has`);
  const amount = parseAmount(text);
  if (amount === 0n)
    throw invalid('amount', 'must be more than zero; omit it for a reusable address');
  return amount;
}

async function findProfile(
  context: Context,
  accountId: string,
  { payload, kind }: InvoiceRequest,
): Promise<InvoiceProfile> {
  const id = payload.profile_id;
  const profile = isUuid(id) ? await findProfileFor(context, accountId, id, kind.kind) : null;
  if (profile && !profile.is_deleted) return profile;
  throw new ServiceError('NotFound', 'There is no profile with this profile_id.', {
    errors: [{ field: 'profile_id', message: 'must be the id of a profile of this account' }],
  });
}

/** BTC_LIGHTNING_TO_LIGHTNING is a legacy name of BTC_LIGHTNING: enabled where lightning is. */
async function findProfileFor(
  { db }: Context,
  accountId: string,
  id: string,
  kind: string,
): Promise<InvoiceProfile | null> {
  const profile = await findInvoiceProfile(db, accountId, id, kind);
  const isLegacyName = kind === 'BTC_LIGHTNING_TO_LIGHTNING' && profile?.wallet_id === null;
  return isLegacyName ? findInvoiceProfile(db, accountId, id, 'BTC_LIGHTNING') : profile;
}

/**
 * Requires that the profile enables the kind and that a chain of the account's network receives it.
 * Published clients match the text of the message, so it must not change.
 */
function requireEnabled(context: Context, profile: InvoiceProfile, kind: Kind): ChainAdapter {
  const adapter = context.chains.get(kind.chain);
  const network = profile.is_testnet ? 'testnet' : 'mainnet';
  if (
    profile.wallet_id !== null &&
    adapter?.network === network &&
    adapter.kinds.includes(kind.kind)
  )
    return adapter;
  const isClosed =
    profile.wallet_id !== null &&
    adapter?.network === network &&
    adapter.configuredKinds?.includes(kind.kind);
  const disabled = isClosed ? "Its network can't be reached now" : whyDisabled(kind);
  const why = disabled === null ? '' : ` ${disabled}.`;
  throw new ServiceError(
    'CurrencyNotEnabled',
    `The profile doesn't support selected payment currency: ${kind.kind}.${why}`,
    {
      errors: [{ field: 'kind', message: disabled ?? 'must be enabled in the profile' }],
    },
  );
}

/** The custom fee in the coin: from the payload, else the profile's for this coin. */
function feeOf(
  { payload, kind }: InvoiceRequest,
  { custom_fee }: InvoiceProfile,
  rates: RateSet,
): Amount | null {
  if (typeof payload.fee_amount === 'string') return parseAmount(payload.fee_amount) || null;
  if (custom_fee === null) return null;
  const amount = parseAmount(custom_fee.amount);
  if (amount === 0n) return null;
  return custom_fee.currency === kind.symbol
    ? amount
    : convertAmount(amount, custom_fee.currency, kind.symbol, rates, Math.min(8, kind.decimals));
}

/** An LNURL rejects payments above its limit, so an invoice above it could never be paid. */
function requirePayable(kind: Kind, profile: InvoiceProfile, { invoiced }: Price): void {
  if (kind.kind !== LNURL || invoiced === null || lnurlBounds(invoiced, profile) !== null) return;
  const limit = formatAmount(MAX_LIGHTNING_PAYMENT);
  throw invalid(
    'amount',
    `is too large: it equals ${formatAmount(invoiced)} BTC, and one payment to an LNURL is at most ${limit} BTC`,
  );
}

function newInvoice(
  { ids, clock, config }: Context,
  accountId: string,
  { kind, payload }: InvoiceRequest,
  profile: InvoiceProfile,
  price: Price,
  fee: Amount | null,
): NewInvoice {
  const now = clock.now();
  const { invoiced, rateUsd } = price;
  const seconds = payload.invoice_expiration ?? profile.invoice_expiration;
  const expires = invoiced !== null && kind.kind !== LNURL;
  const onChain = kind.chain !== 'lightning';
  return {
    account_id: accountId,
    id: ids.uuid(),
    profile_id: profile.id,
    wallet_id: profile.wallet_id ?? '',
    kind: kind.kind,
    chain: kind.chain,
    created_at: timestamp(now),
    expires_at: expires ? timestamp(now + seconds * 1000) : null,
    requested_text: payload.amount ?? null,
    requested_currency: payload.currency,
    invoiced: invoiced === null ? null : formatAmount(invoiced),
    rate_usd: rateUsd === null ? null : formatAmount(rateUsd),
    fee_amount: fee === null ? null : formatAmount(fee),
    min_confirmations: payload.min_confirmations ?? null,
    required_confirmations: onChain
      ? (payload.min_confirmations ?? confirmationsOf(profile, kind, price, config.largePayment))
      : 1,
    positive_difference: profile.positive_difference,
    negative_difference: profile.negative_difference,
    zero_conf_enabled: payload.zero_conf_enabled ?? false,
    notes: payload.notes ?? null,
    passthrough: payload.passthrough ?? null,
    order_id: payload.order_id ?? null,
    lnurl_invoice_id: null,
    expiration_seconds: expires ? seconds : null,
  };
}

/**
 * The profile's confirmations, or the default for the amount; at most the chain's final depth: a
 * final transaction is complete and gets no deeper.
 */
function confirmationsOf(
  profile: InvoiceProfile,
  kind: Kind,
  { invoiced, rateUsd }: Price,
  largePayment: Amount,
): number {
  if (profile.min_confirmations !== null)
    return Math.min(profile.min_confirmations, kind.finalConfirmations);
  const usd =
    invoiced === null || rateUsd === null ? null : (invoiced * rateUsd) / parseAmount('1');
  return defaultConfirmations(kind, profile, usd, largePayment);
}

/** The new invoice as a GET would return it, without reading it back. */
export function viewOf(
  invoice: NewInvoice,
  target: DepositTarget,
  isTestnet: boolean,
  beside: NumberedTarget | null = null,
): InvoiceView {
  // Measured: spreading this many members takes twenty times as long as Object.assign.
  return Object.assign({}, invoice, {
    status: 'new' as const,
    address: target.address,
    tag: target.tag,
    x_address: target.xAddress,
    public_address: target.publicAddress,
    lightning: target.lightning ?? beside?.lightning ?? null,
    evm: target.evm ?? null,
    request_closed: false,
    renewals: 0,
    extended: false,
    matched: false,
    paid_total: '0',
    events: [],
    proof: null,
    lightning_proof: null,
    version: 1,
    updated_at: invoice.created_at,
    is_testnet: isTestnet,
    transactions: [],
  });
}
