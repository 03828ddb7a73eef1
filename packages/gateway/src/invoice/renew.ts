import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { renewInvoice as schema } from '@crypto-checkout/protocol/schema/invoice';
import type { DepositTarget } from '@crypto-checkout/chains/adapter';
import { currentProofKey } from '../account/proof-key-store.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { validate } from '../http/payload.ts';
import { deriveTarget } from './derive-target.ts';
import { requestBeside } from './with-lightning.ts';
import { getInvoice } from './get.ts';
import { priceInvoice } from './price.ts';
import { proveInvoice, proveRequest } from './proof.ts';
import { renewalFacts, saveRenewal } from './renewal-store.ts';
import {
  findInvoiceProfile,
  findInvoices,
  lockInvoices,
  quotesOf,
  type InvoiceRow,
  type InvoiceView,
  type QuoteRow,
} from './store.ts';

const HOUR_MS = 60 * 60 * 1000;
/** New prices of one invoice per hour: a higher limit would let a buyer wait for the best rate. */
const MAX_RENEWALS = 6;
/** Seconds; on average, one renewal leaves the last hour in this time. */
const RETRY_S = HOUR_MS / 1000 / MAX_RENEWALS;

/**
 * Renews an invoice. With `extend`, while the quote is valid: one more period at the same rate,
 * once. After the quote expired: a new rate. The address stays. A lightning request is replaced,
 * and the old one is still watched.
 * @throws ServiceError `InvalidState` when there is nothing to renew, `RateLimited` after six new
 * prices in an hour
 */
export async function renewInvoice(
  context: Context,
  accountId: string,
  id: string,
  input: unknown,
): Promise<InvoiceView> {
  const extend = validate(schema, input).extend ?? false;
  const seen = await getInvoice(context, accountId, id);
  requireRenewable(seen, extend, context.clock.now());
  // Rate and lightning request need the network, so they are fetched before the lock. Under it the
  // state is checked again.
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

interface RenewalOffer {
  /** Null for an extension at the same rate. */
  quote: Pick<QuoteRow, 'invoiced' | 'rate_usd' | 'currency_rates'> | null;
  target: DepositTarget | null;
  /** The request stands beside an address, which stays payable without it. */
  isBeside: boolean;
}

function requireRenewable(invoice: InvoiceRow, extend: boolean, now: number): void {
  if (invoice.expires_at === null)
    throw wrongState('The invoice never expires, so it cannot be renewed.');
  if (invoice.status === 'paid' || invoice.status === 'complete')
    throw wrongState(`The invoice is ${invoice.status}.`);
  const runs = now < milliseconds(invoice.expires_at);
  if (runs && !extend)
    throw wrongState(
      `The price is valid until ${invoice.expires_at}; use "extend" for more time at the same rate.`,
    );
  if (runs && invoice.extended)
    throw wrongState('The price was already extended; this is possible only once.');
  if (!runs && extend)
    throw wrongState('The price has expired and cannot be extended; renew it without "extend".');
}

/**
 * A buyer who already paid must not be asked for the whole amount again, even if the payment was
 * late.
 */
async function requireUnpaid(
  trx: Trx,
  invoice: InvoiceRow,
  extend: boolean,
  now: number,
): Promise<void> {
  const { recent, paid } = await renewalFacts(trx, invoice.id, timestamp(now - HOUR_MS));
  if (paid) throw wrongState('The invoice already has a payment.');
  if (extend || recent < MAX_RENEWALS) return;
  throw new ServiceError(
    'RateLimited',
    `An invoice can be renewed at most ${MAX_RENEWALS} times per hour.`,
    { headers: { 'Retry-After': String(RETRY_S) } },
  );
}

const wrongState = (message: string): ServiceError => new ServiceError('InvalidState', message);

async function makeOffer(
  context: Context,
  invoice: InvoiceRow,
  extend: boolean,
): Promise<RenewalOffer> {
  const kind = requireKind(invoice.kind);
  const quote = extend ? null : await priceAgain(context, invoice, kind);
  const isBeside = kind.chain !== 'lightning';
  if (isBeside && invoice.lightning === null) return { quote, target: null, isBeside: false };
  const invoiced = quote?.invoiced ?? invoice.invoiced;
  const left =
    extend && invoice.expires_at !== null
      ? Math.ceil((milliseconds(invoice.expires_at) - context.clock.now()) / 1000)
      : 0;
  const expiration_seconds = (invoice.expiration_seconds ?? 0) + left;
  const wanted = { ...invoice, invoiced, expiration_seconds };
  if (isBeside) return { quote, target: await requestBeside(context, wanted), isBeside };
  const adapter = context.chains.get(kind.chain);
  if (!adapter) throw wrongState(`${kind.network} is not available at the moment.`);
  return { quote, target: await deriveTarget(context, adapter, wanted), isBeside };
}

async function priceAgain(
  context: Context,
  invoice: InvoiceRow,
  kind: Kind,
): Promise<NonNullable<RenewalOffer['quote']>> {
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
  if (!kind) throw wrongState(`Invoices of kind ${name} are no longer available.`);
  return kind;
}

async function saveOffer(
  trx: Trx,
  context: Context,
  invoice: InvoiceRow,
  { quote, target, isBeside }: RenewalOffer,
): Promise<void> {
  const now = context.clock.now();
  const last = (await quotesOf(trx, [invoice.id])).at(-1);
  if (!last || invoice.expires_at === null)
    throw wrongState('The invoice has no price, so it cannot be renewed.');
  const period = (invoice.expiration_seconds ?? 0) * 1000;
  const expiresAt = timestamp(
    quote === null ? milliseconds(invoice.expires_at) + period : now + period,
  );
  const key = await currentProofKey(trx, invoice.account_id);
  const renewed = {
    ...invoice,
    invoiced: (quote ?? last).invoiced,
    lightning: target?.lightning ?? invoice.lightning,
    expires_at: expiresAt,
  };
  await saveRenewal(trx, {
    invoice,
    proof: proveInvoice(context.secrets, key, renewed),
    lightningProof:
      isBeside && target !== null ? proveRequest(context.secrets, key, renewed) : null,
    isClosed: isBeside && target === null,
    quote: quote === null ? last : { ...quote, number: last.number + 1, starts_at: timestamp(now) },
    expiresAt,
    extension: quote === null,
    target,
    chain: isBeside ? 'lightning' : (invoice.chain as ChainId),
    at: timestamp(now),
  });
}
