import { type Client, createClient, ServiceError } from '@crypto-checkout/client';
import type { CreateInvoice } from '@crypto-checkout/protocol/schema/invoice';
import { ServiceInvoice, ServiceRefund, ServiceRefundable, ServiceTransaction } from './schema.ts';
import type { PollBudget } from './poll-budget.ts';
import {
  type Service,
  ServiceRejection,
  ServiceOutcomeUnknown,
  ServiceUnreachable,
} from './service.ts';

export interface ServiceOptions {
  serviceUrl: string;
  keys: readonly { key: string; secret: string; nonceWindow: boolean }[];
  profileId: string;
  /** Whether the service can renew quotes. */
  extensions: boolean;
  fetch: typeof fetch;
  timeoutMs: number;
  now: () => number;
  steady: () => number;
  budget: PollBudget;
  /** Called once per request, for the metrics. */
  onRequest: (what: string, outcome: 'ok' | 'refused' | 'unknown') => void;
}

/** Limit of pages with 25 transactions each per address. */
const MAX_TRANSACTION_PAGES = 20;

/** Creates the client of the payment service over HTTP. */
export function createService(options: ServiceOptions): Service {
  const { serviceUrl: baseUrl, keys, fetch, now, timeoutMs } = options;
  const client = createClient({ baseUrl, keys, fetch, now, timeoutMs, readRetries: 1 });
  const access: ServiceAccess = { client, call: createCall(options), options };
  return {
    ...invoiceMethods(access),
    transactions: transactionsMethod(access),
    acceptLate: acceptLateMethod(access),
    ...refundMethods(access),
    ...settingsMethods(access),
    offset: () => client.serverTime() - now(),
  };
}

interface ServiceAccess {
  client: Client;
  call: <T>(what: string, request: () => Promise<T>) => Promise<T>;
  options: ServiceOptions;
}

/** Counts each request for the budget and the metrics, and maps its errors. */
function createCall({ budget, steady, onRequest }: ServiceOptions): ServiceAccess['call'] {
  return async (what, request) => {
    budget.spend(steady());
    try {
      const answer = await request();
      onRequest(what, 'ok');
      return answer;
    } catch (error) {
      const serviceError = errorOf(error);
      onRequest(what, serviceError instanceof ServiceRejection ? 'refused' : 'unknown');
      throw serviceError;
    }
  };
}

async function nullOn<T>(statuses: readonly number[], request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ServiceRejection && statuses.includes(error.status)) return null;
    throw error;
  }
}

/** A text without an encoding in UTF-8 can't be signed, and would be refused. */
const isSent = (orderId: string | null | undefined): orderId is string =>
  Boolean(orderId?.isWellFormed());

type InvoiceMethods = Pick<
  Service,
  'createInvoice' | 'invoice' | 'invoices' | 'renewInvoice' | 'cancelRequest' | 'receipt'
>;

function invoiceMethods({
  client,
  call,
  options: { profileId, extensions },
}: ServiceAccess): InvoiceMethods {
  return {
    createInvoice: async ({
      passthrough,
      notes,
      orderId,
      expirationSeconds,
      withLightning,
      ...order
    }) => {
      const payload: CreateInvoice = {
        ...order,
        profile_id: profileId,
        ...(withLightning && { with_lightning: true }),
        ...(passthrough && { passthrough }),
        ...(notes && { notes }),
        ...(isSent(orderId) && { order_id: orderId }),
        ...(expirationSeconds !== null && { invoice_expiration: expirationSeconds }),
      };
      return ServiceInvoice.parse(
        await call('create_invoice', () => client.invoices.create(payload)),
      );
    },
    invoice: async (id) => {
      const found = await nullOn(
        [404],
        call('get_invoice', () => client.invoices.get(id)),
      );
      return found && ServiceInvoice.parse(found);
    },
    invoices: async (page, orderId) => {
      const filter = {
        profile_id: profileId,
        p: page,
        ...(extensions && isSent(orderId) && { order_id: orderId }),
      };
      const found = await nullOn(
        [404],
        call('list_invoices', () => client.invoices.list(filter)),
      );
      return found && found.result.map((invoice) => ServiceInvoice.parse(invoice));
    },
    receipt: (id) =>
      nullOn(
        [404, 405, 409],
        call('get_receipt', () => client.invoices.receipt(id)),
      ),
    renewInvoice: async (id, { extend }) => {
      if (!extensions) return null;
      const renewed = await nullOn(
        [404, 405],
        call('renew_invoice', () => client.invoices.renew(id, extend ? { extend: true } : {})),
      );
      return renewed && ServiceInvoice.parse(renewed);
    },
    cancelRequest: async (id) => {
      if (!extensions) return null;
      const ended = await nullOn(
        [404, 405, 409],
        call('cancel_request', () => client.invoices.cancelRequest(id)),
      );
      return ended && ServiceInvoice.parse(ended);
    },
  };
}

function transactionsMethod({ client, call }: ServiceAccess): Service['transactions'] {
  return async (invoiceId) => {
    const all: ServiceTransaction[] = [];
    for (let page: number | null = 1; page !== null && page <= MAX_TRANSACTION_PAGES;) {
      const p: number = page;
      const answer = await call('list_transactions', () =>
        client.transactions.list({ invoice_id: invoiceId, p }),
      );
      all.push(...answer.result.map((transaction) => ServiceTransaction.parse(transaction)));
      page =
        answer.pagination.next_page !== null && answer.pagination.next_page > p
          ? answer.pagination.next_page
          : null;
    }
    return onlyOf(invoiceId, all);
  };
}

function acceptLateMethod({ client, call, options }: ServiceAccess): Service['acceptLate'] {
  return async (id) => {
    if (!options.extensions) return true;
    try {
      await call('accept_late', () => client.refunds.acceptLate(id));
      return true;
    } catch (error) {
      if (!(error instanceof ServiceRejection)) throw error;
      // A service without refunds has no such path.
      return error.status === 404 || error.status === 405;
    }
  };
}

function refundMethods({
  client,
  call,
}: ServiceAccess): Pick<Service, 'refundable' | 'refunds' | 'refund'> {
  return {
    refundable: async (id) => {
      const request = call('get_refundable', () => client.refunds.refundable(id));
      const found = await nullOn([403, 404, 405], request);
      return (found ?? []).map((money) => ServiceRefundable.parse(money));
    },
    refunds: async (id) => {
      const request = call('list_refunds', () => client.refunds.list({ invoice_id: id }));
      const found = await nullOn([404, 405], request);
      return (found?.result ?? []).map((refund) => ServiceRefund.parse(refund)).toReversed();
    },
    refund: async ({ transactionId, address, tag, isProven, isEstimate }) => {
      const payload = {
        transaction_id: transactionId,
        address,
        ...(tag !== null && { destination_tag: tag }),
        is_proven: isProven,
      };
      const { refunds } = client;
      return ServiceRefund.parse(
        isEstimate
          ? await call('estimate_refund', () => refunds.estimate(payload))
          : await call('create_refund', () => refunds.create(payload)),
      );
    },
  };
}

function settingsMethods({
  client,
  call,
  options: { profileId, extensions },
}: ServiceAccess): Pick<Service, 'profile' | 'rates' | 'networkFees'> {
  return {
    profile: async () => {
      const profile = await call('get_profile', () => client.profiles.get(profileId));
      return {
        id: profile.id,
        acceptance: profile.acceptance_range,
        stablecoinPrecision: profile.stablecoin_precision,
        invoiceExpiration: profile.invoice_expiration,
        onrampApiKey: profile.onramp_api_key || null,
        currencies: profile.currencies.map(
          ({ kind, network = 'mainnet', min_confirmations, unavailable }) => ({
            kind,
            network,
            minConfirmations: min_confirmations,
            isUnavailable: unavailable === true,
          }),
        ),
      };
    },
    rates: async () =>
      new Map(
        (await call('list_rates', () => client.rates.list())).map(({ symbol, rate_usd }) => [
          symbol,
          rate_usd,
        ]),
      ),
    networkFees: async () => {
      const fees = extensions
        ? await nullOn(
            [404, 405],
            call('list_network_fees', () => client.networkFees.list()),
          )
        : null;
      return new Map(
        fees?.flatMap(({ kind, fee_usd }) => (fee_usd === null ? [] : [[kind, fee_usd] as const])),
      );
    },
  };
}

/**
 * Filters again, because a service may ignore the filter and mix up orders. An item on two pages
 * counts once.
 */
function onlyOf(
  invoiceId: string,
  transactions: readonly ServiceTransaction[],
): ServiceTransaction[] {
  const own = transactions.filter((one) => one.invoice?.id === invoiceId);
  return [...new Map(own.map((one) => [one.id, one])).values()];
}

/**
 * Loggers print the messages of all causes, so the error of the client, with the same message, is
 * none. A 4xx answer is definite, also without a reason; every other failure is not.
 */
function errorOf(error: unknown): Error {
  if (!(error instanceof ServiceError))
    return new ServiceOutcomeUnknown('the request to the service failed', { cause: error });
  const { status, reason, errors, cause } = error;
  if (status !== null && status >= 400 && status < 500 && status !== 408)
    return new ServiceRejection(status, reason, error.message, { errors, cause });
  if (status === null && isNotConnected(cause))
    return new ServiceUnreachable(error.message, { cause });
  return new ServiceOutcomeUnknown(error.message, { cause });
}

/** Errors before a connection: nothing listens there, or the name has no address now. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** `fetch` has the error of the system as its cause. */
function isNotConnected(error: unknown): boolean {
  const { code } = (error instanceof Error ? (error.cause ?? {}) : {}) as { code?: unknown };
  return typeof code === 'string' && NOT_CONNECTED.has(code);
}
