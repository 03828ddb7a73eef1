import { createClient, ServiceError } from '@crypto-checkout/client';
import type { CreateInvoice } from '@crypto-checkout/protocol/schema/invoice';
import { ServiceInvoice, ServiceTransaction } from '../checkout/record.ts';
import type { Budget } from './budget.ts';
import { type Service, ServiceRefusal, ServiceUnknown } from './service.ts';

export interface ServiceOptions {
  serviceUrl: string;
  keys: readonly { key: string; secret: string; nonceWindow: boolean }[];
  profileId: string;
  /** Whether the service can renew. */
  extensions: boolean;
  fetch: typeof fetch;
  timeoutMs: number;
  now: () => number;
  budget: Budget;
  /** Called once per request, for the metrics. */
  onRequest: (what: string, outcome: 'ok' | 'refused' | 'unknown') => void;
}

/** 25 on a page: more transactions than that many pages at one address are not read. */
const MAX_TRANSACTION_PAGES = 20;

/** The service over HTTP. */
export function createService({
  serviceUrl,
  keys,
  profileId,
  extensions,
  fetch,
  timeoutMs,
  now,
  budget,
  onRequest,
}: ServiceOptions): Service {
  const client = createClient({ baseUrl: serviceUrl, keys, fetch, now, timeoutMs, readRetries: 1 });

  const ask = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
    budget.spend(now());
    try {
      const answer = await request();
      onRequest(what, 'ok');
      return answer;
    } catch (error) {
      const known = errorOf(error);
      onRequest(what, known instanceof ServiceRefusal ? 'refused' : 'unknown');
      throw known;
    }
  };
  const unless = async <T>(statuses: readonly number[], request: Promise<T>): Promise<T | null> => {
    try {
      return await request;
    } catch (error) {
      if (error instanceof ServiceRefusal && statuses.includes(error.status)) return null;
      throw error;
    }
  };

  return {
    createInvoice: async ({ passthrough, notes, expirationSeconds, ...order }) => {
      const payload: CreateInvoice = {
        ...order,
        profile_id: profileId,
        ...(passthrough && { passthrough }),
        ...(notes && { notes }),
        ...(expirationSeconds !== null && { invoice_expiration: expirationSeconds }),
      };
      return ServiceInvoice.parse(await ask('create_invoice', () => client.invoices.create(payload)));
    },
    invoice: async (id) => {
      const found = await unless(
        [404],
        ask('get_invoice', () => client.invoices.get(id)),
      );
      return found && ServiceInvoice.parse(found);
    },
    invoices: async (page) => {
      const found = await unless(
        [404],
        ask('list_invoices', () => client.invoices.list({ profile_id: profileId, p: page })),
      );
      return found && found.result.map((invoice) => ServiceInvoice.parse(invoice));
    },
    renewInvoice: async (id, options) => {
      if (!extensions) return null;
      const renewed = await unless(
        [404, 405],
        ask('renew_invoice', () => client.invoices.renew(id, options.extend ? { extend: true } : {})),
      );
      return renewed && ServiceInvoice.parse(renewed);
    },
    transactions: async (invoiceId) => {
      const all: ServiceTransaction[] = [];
      for (let page: number | null = 1; page !== null && page <= MAX_TRANSACTION_PAGES;) {
        const p: number = page;
        const answer = await ask('list_transactions', () => client.transactions.list({ invoice_id: invoiceId, p }));
        all.push(...answer.result.map((transaction) => ServiceTransaction.parse(transaction)));
        page = answer.pagination.next_page !== null && answer.pagination.next_page > p ? answer.pagination.next_page : null;
      }
      return onlyOf(invoiceId, all);
    },
    profile: async () => {
      const profile = await ask('get_profile', () => client.profiles.get(profileId));
      return {
        id: profile.id,
        acceptance: profile.acceptance_range,
        stablecoinPrecision: profile.stablecoin_precision,
        invoiceExpiration: profile.invoice_expiration,
        onrampApiKey: profile.onramp_api_key || null,
        currencies: profile.currencies.map(({ kind, network = 'mainnet', min_confirmations }) => ({
          kind,
          network,
          minConfirmations: min_confirmations,
        })),
      };
    },
    rates: async () => new Map((await ask('list_rates', () => client.rates.list())).map(({ symbol, rate_usd }) => [symbol, rate_usd])),
    offset: () => client.serverTime() - now(),
  };
}

/** A service that ignores the filter must not give one order another's money; the same item on two pages is one. */
function onlyOf(invoiceId: string, transactions: readonly ServiceTransaction[]): ServiceTransaction[] {
  const own = transactions.filter((one) => one.invoice?.id === invoiceId);
  return [...new Map(own.map((one) => [one.id, one])).values()];
}

/** Four hundreds are definite, also from a service that gives no reason; everything else is not. */
function errorOf(error: unknown): Error {
  if (!(error instanceof ServiceError)) return new ServiceUnknown('the service could not be asked', { cause: error });
  const { status, reason } = error;
  if (status !== null && status >= 400 && status < 500 && status !== 408)
    return new ServiceRefusal(status, reason, error.message, { cause: error });
  return new ServiceUnknown(error.message, { cause: error });
}
