import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { renewInvoice as schema } from '@crypto-checkout/protocol/schema/invoice';
import type { DepositTarget } from '../chain/adapter.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { validate } from '../http/payload.ts';
import { deriveTarget } from './create.ts';
import { getInvoice } from './get.ts';
import { priceInvoice } from './price.ts';
import {
  findInvoiceProfile,
  findInvoices,
  lockInvoices,
  quotesOf,
  renewalFacts,
  saveRenewal,
  type InvoiceRow,
  type InvoiceView,
  type QuoteRow,
} from './store.ts';

const HOUR_MS = 60 * 60 * 1000;
/** New prices of one invoice in an hour: more would let a buyer wait for the best (T19). */
const MAX_RENEWALS = 6;

/**
 * Gives a buyer more time (decisions, "Renew"): while the quote runs, once and at the same rate, with `extend`; after it ran out a
 * new rate. The address stays; a lightning request is replaced and the old one stays ours.
 * @throws ServiceError `InvalidState` when there is nothing to renew, `RateLimited` after six new prices in an hour
 */
export async function renewInvoice(context: Context, accountId: string, id: string, input: unknown): Promise<InvoiceView> {
  const extend = validate(schema, input).extend ?? false;
  const seen = await getInvoice(context, accountId, id);
  requireRenewable(seen, extend, context.clock.now());
  // Rate and request come from outside, so before the lock; under it everything is looked at again.
  const offer = await makeOffer(context, seen, extend);
  await transact(context.db, async (trx) => {
    const invoice = (await lockInvoices(trx, [id])).find((row) => row.id === id);
    if (!invoice) throw new ServiceError('NotFound', 'There is no invoice with this id.');
    requireRenewable(invoice, extend, context.clock.now());
    await requireUnpaid(trx, invoice, extend, context.clock.now());
    await saveOffer(trx, context, invoice, offer);
  });
  const [renewed] = await findInvoices(context.db, [id], accountId);
  return renewed ?? seen;
}

interface Offer {
  /** Null for more time at the same rate. */
  quote: Pick<QuoteRow, 'invoiced' | 'rate_usd' | 'currency_rates'> | null;
  target: DepositTarget | null;
}

function requireRenewable(invoice: InvoiceRow, extend: boolean, now: number): void {
  if (invoice.expires_at === null) throw wrongState('An invoice that never expires is not renewed.');
  if (invoice.status === 'paid' || invoice.status === 'complete') throw wrongState(`The invoice is ${invoice.status}.`);
  const runs = now < milliseconds(invoice.expires_at);
  if (runs && !extend) throw wrongState(`The price is valid until ${invoice.expires_at}; "extend" gives more time at the same rate.`);
  if (runs && invoice.extended) throw wrongState('The price was extended already, which is possible once.');
  if (!runs && extend) throw wrongState('The price ran out and can not be extended any more; renew it without "extend".');
}

/** Whoever paid already must not be asked for the whole amount again: also when the payment came too late. */
async function requireUnpaid(trx: Trx, invoice: InvoiceRow, extend: boolean, now: number): Promise<void> {
  const { recent, paid } = await renewalFacts(trx, invoice.id, timestamp(now - HOUR_MS));
  if (paid) throw wrongState('A payment to this invoice is there or on its way.');
  if (extend || recent < MAX_RENEWALS) return;
  throw new ServiceError('RateLimited', `An invoice gets at most ${MAX_RENEWALS} new prices in an hour.`, {
    headers: { 'Retry-After': '600' },
  });
}

const wrongState = (message: string): ServiceError => new ServiceError('InvalidState', message);

async function makeOffer(context: Context, invoice: InvoiceRow, extend: boolean): Promise<Offer> {
  const kind = requireKind(invoice.kind);
  const quote = extend ? null : await priceAgain(context, invoice, kind);
  if (kind.chain !== 'lightning') return { quote, target: null };
  const adapter = context.chains.get(kind.chain);
  if (!adapter) throw wrongState(`${kind.network} is not available at the moment.`);
  const invoiced = quote?.invoiced ?? invoice.invoiced;
  const left = extend && invoice.expires_at !== null ? Math.ceil((milliseconds(invoice.expires_at) - context.clock.now()) / 1000) : 0;
  const expiration_seconds = (invoice.expiration_seconds ?? 0) + left;
  return { quote, target: await deriveTarget(context, adapter, { ...invoice, invoiced, expiration_seconds }) };
}

async function priceAgain(context: Context, invoice: InvoiceRow, kind: Kind): Promise<NonNullable<Offer['quote']>> {
  const [profile, rates] = await Promise.all([
    findInvoiceProfile(context.db, invoice.account_id, invoice.profile_id, invoice.kind),
    context.rates.current(),
  ]);
  const { invoiced, rateUsd, currencyRates } = priceInvoice({
    kind,
    requested: parseAmount(invoice.requested_text ?? '0'),
    currency: invoice.requested_currency,
    fee: invoice.fee_amount === null ? 0n : parseAmount(invoice.fee_amount),
    stablecoinPrecision: profile?.stablecoin_precision ?? 2,
    rates,
  });
  return {
    invoiced: formatAmount(invoiced ?? 0n),
    rate_usd: rateUsd === null ? null : formatAmount(rateUsd),
    currency_rates: currencyRates,
  };
}

function requireKind(name: string): Kind {
  const kind = kindOf(name);
  if (!kind) throw wrongState(`Invoices of kind ${name} are not offered any more.`);
  return kind;
}

async function saveOffer(trx: Trx, context: Context, invoice: InvoiceRow, { quote, target }: Offer): Promise<void> {
  const now = context.clock.now();
  const last = (await quotesOf(trx, [invoice.id])).at(-1);
  if (!last || invoice.expires_at === null) throw wrongState('An invoice without a price is not renewed.');
  const period = (invoice.expiration_seconds ?? 0) * 1000;
  await saveRenewal(trx, {
    invoice,
    quote: quote === null ? last : { ...quote, number: last.number + 1, starts_at: timestamp(now) },
    expiresAt: timestamp(quote === null ? milliseconds(invoice.expires_at) + period : now + period),
    extension: quote === null,
    target,
    chain: invoice.chain as ChainId,
    at: timestamp(now),
  });
}
