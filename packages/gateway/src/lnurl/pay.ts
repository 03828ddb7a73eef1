import { createHash } from 'node:crypto';
import {
  formatAmount,
  fromUnits,
  parseAmount,
  toUnits,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { MSAT_DECIMALS } from '@crypto-checkout/chains/lightning/payment-request';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { milliseconds, timestamp } from '../database/timestamp.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { deriveTarget, LNURL } from '../invoice/derive-target.ts';
import { priceInvoice } from '../invoice/price.ts';
import {
  findInvoiceProfile,
  findInvoices,
  type InvoiceRow,
  type InvoiceView,
} from '../invoice/store.ts';
import { insertInvoice, type NewInvoice } from '../invoice/insert.ts';
import { lnurlBounds, SATOSHI, MAX_LIGHTNING_PAYMENT } from '../invoice/lnurl-bounds.ts';
import { openChildren } from './store.ts';

/** Limit of open requests per LNURL, because anyone can create them. */
const MAX_OPEN = 20;
const CHILD_KIND = 'BTC_LIGHTNING';

/** LUD-06: the answer to a wallet that scanned the code. */
export interface PayRequest {
  tag: 'payRequest';
  callback: string;
  minSendable: number;
  maxSendable: number;
  metadata: string;
}

/**
 * Answers the amounts that a wallet may send to an LNURL invoice: the accepted range around the
 * amount at the current rate, or any amount up to the limit for an invoice without one.
 * @throws ServiceError `NotFound`, or `LnurlError` when the invoice is already paid
 */
export async function payRequest(context: Context, id: string): Promise<PayRequest> {
  const invoice = await findLnurlInvoice(context, id);
  const { min, max } = await boundsOf(context, invoice);
  return {
    tag: 'payRequest',
    callback: `${context.config.lnurlBaseUrl}/lnurl/${invoice.id}/callback`,
    minSendable: Number(toUnits(min, MSAT_DECIMALS)),
    maxSendable: Number(toUnits(max, MSAT_DECIMALS)),
    metadata: metadataOf(invoice),
  };
}

/**
 * Creates the lightning request that a wallet pays, as a child invoice of the LNURL invoice. While
 * a request is open, the same amount returns the same request.
 * @param amount millisatoshi, as the wallet sent it
 * @throws ServiceError `NotFound`, or `LnurlError` with a message for the wallet's user
 */
export async function requestPayment(
  context: Context,
  id: string,
  amount: string | undefined,
): Promise<{ pr: string; routes: [] }> {
  const parent = await findLnurlInvoice(context, id);
  const requested = readAmount(amount);
  const { min, max } = await boundsOf(context, parent);
  if (requested < min || requested > max) {
    const range = `${toUnits(min, MSAT_DECIMALS)} to ${toUnits(max, MSAT_DECIMALS)}`;
    throw new ServiceError('LnurlError', `The amount must be ${range} millisatoshi.`);
  }
  if (requested % SATOSHI !== 0n)
    throw new ServiceError(
      'LnurlError',
      'The amount must be a whole number of satoshis: a multiple of 1000 millisatoshi.',
    );
  const now = context.clock.now();
  const open = await openChildren(context.db, parent.id, timestamp(now));
  const waiting = open.find(
    (child) => parseAmount(child.invoiced ?? '0') === requested && halfLeft(child, now),
  );
  const request = waiting?.lightning?.paymentRequest ?? null;
  if (request !== null) return { pr: request, routes: [] };
  if (open.length >= MAX_OPEN)
    throw new ServiceError(
      'LnurlError',
      'Too many open payment requests for this code; try again later.',
    );
  return { pr: await createChild(context, parent, requested), routes: [] };
}

async function findLnurlInvoice({ db }: Context, id: string): Promise<InvoiceView> {
  const [invoice] = isUuid(id) ? await findInvoices(db, [id]) : [];
  if (invoice?.kind !== LNURL)
    throw new ServiceError('NotFound', 'There is no LNURL invoice with this id.');
  if (invoice.requested_text !== null && invoice.status === 'complete')
    throw new ServiceError('LnurlError', 'This invoice is already paid.');
  return invoice;
}

/**
 * LUD-06 metadata. The request's description hash covers it, so the invoice id in the text ties the
 * request to its invoice.
 */
function metadataOf({ id, notes }: InvoiceRow): string {
  return JSON.stringify([['text/plain', notes ?? `Invoice ${id}`]]);
}

async function boundsOf(
  context: Context,
  invoice: InvoiceRow,
): Promise<{ min: Amount; max: Amount }> {
  if (invoice.requested_text === null) return { min: SATOSHI, max: MAX_LIGHTNING_PAYMENT };
  const bounds = lnurlBounds(await dueNow(context, invoice, invoice.requested_text), invoice);
  if (bounds !== null) return bounds;
  throw new ServiceError(
    'LnurlError',
    'The amount exceeds the limit of one payment to this wallet.',
  );
}

async function dueNow(context: Context, invoice: InvoiceRow, requested: string): Promise<Amount> {
  const kind = kindOf(CHILD_KIND);
  if (!kind) throw new Error(`Unknown kind ${CHILD_KIND}`);
  const { invoiced } = priceInvoice({
    kind,
    requested: parseAmount(requested),
    currency: invoice.requested_currency,
    fee: invoice.fee_amount === null ? 0n : parseAmount(invoice.fee_amount),
    stablecoinPrecision: 2,
    rates: await context.rates.current(),
  });
  return invoiced ?? 0n;
}

function readAmount(text: string | undefined): Amount {
  if (text !== undefined && /^\d{1,16}$/.test(text)) return fromUnits(BigInt(text), MSAT_DECIMALS);
  throw new ServiceError(
    'LnurlError',
    'The parameter amount must be a whole number of millisatoshi.',
  );
}

/** Reuse a request only if at least half of its lifetime is left. */
function halfLeft({ created_at, expires_at }: InvoiceRow, now: number): boolean {
  return expires_at !== null && 2 * now < milliseconds(created_at) + milliseconds(expires_at);
}

async function createChild(context: Context, parent: InvoiceRow, amount: Amount): Promise<string> {
  const adapter = context.chains.get('lightning');
  const [profile, rates] = await Promise.all([
    findInvoiceProfile(context.db, parent.account_id, parent.profile_id, LNURL),
    context.rates.current(),
  ]);
  if (!adapter?.kinds.includes(CHILD_KIND) || !profile)
    throw new ServiceError('LnurlError', 'Lightning is not available at the moment.');
  const kind = kindOf(CHILD_KIND)!;
  const { rateUsd, currencyRates } = priceInvoice({
    kind,
    requested: null,
    currency: parent.requested_currency,
    fee: 0n,
    stablecoinPrecision: 2,
    rates,
  });
  const child = childOf(context, parent, { amount, rateUsd, seconds: profile.invoice_expiration });
  const metadata = metadataOf(parent);
  const hash = createHash('sha256').update(metadata).digest('hex');
  const target = await deriveTarget(context, adapter, child, {
    descriptionHash: hash,
    hashedDescription: metadata,
  });
  const request = target.lightning?.paymentRequest;
  if (!request) throw new Error('The lightning adapter returned no payment request');
  // A wallet takes this request from the service itself, so no page checks it.
  await insertInvoice(context.db, child, target, { rates: currencyRates, proof: null });
  return request;
}

/**
 * The child requests the amount that the wallet chose, in bitcoin. Everything else comes from the
 * parent.
 */
function childOf(
  { ids, clock }: Context,
  parent: InvoiceRow,
  { amount, rateUsd, seconds }: { amount: Amount; rateUsd: Amount | null; seconds: number },
): NewInvoice & { expiration_seconds: number } {
  const now = clock.now();
  const fee =
    parent.fee_amount !== null && parseAmount(parent.fee_amount) < amount
      ? parent.fee_amount
      : null;
  return {
    account_id: parent.account_id,
    id: ids.uuid(),
    profile_id: parent.profile_id,
    wallet_id: parent.wallet_id,
    kind: CHILD_KIND,
    chain: 'lightning',
    created_at: timestamp(now),
    expires_at: timestamp(now + seconds * 1000),
    requested_text: formatAmount(amount),
    requested_currency: 'BTC',
    invoiced: formatAmount(amount),
    rate_usd: rateUsd === null ? null : formatAmount(rateUsd),
    fee_amount: fee,
    min_confirmations: null,
    required_confirmations: 1,
    positive_difference: parent.positive_difference,
    negative_difference: parent.negative_difference,
    zero_conf_enabled: false,
    notes: `LNURL invoice ${parent.id}`,
    passthrough: parent.passthrough,
    lnurl_invoice_id: parent.id,
    // Its payments are those of the parent.
    order_id: null,
    expiration_seconds: seconds,
  };
}
