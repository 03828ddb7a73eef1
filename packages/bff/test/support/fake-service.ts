import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import {
  addressOf,
  decimal,
  json,
  stamp,
  units,
  type ServiceInvoice,
  type ServiceTransaction,
} from './fake-service-data.ts';

/**
 * The failure of the next matching requests; `after`: the request is executed, and the response is
 * lost.
 */
export interface Fault {
  method?: string;
  path: RegExp;
  how: 'down' | 'closed' | 'hang' | '500' | '504' | 'html' | 'truncated' | '429' | 'refuse' | '409';
  after?: boolean;
  times: number;
}

export const SERVICE_URL = 'https://service.test';
export const CALLBACK_TOKEN = 'test-callback-token-0123456789';
export const PROFILE_ID = '5f0e3c7a-0000-4000-8000-000000000001';
export const API_KEY = 'test-key';
export const API_SECRET = 'test-secret-0123456789';

const RATES: Record<string, string> = {
  USD: '1',
  EUR: '1.1',
  BTC: '50000',
  LTC: '100',
  ETH: '2500',
  USDT: '1',
  XRP: '0.5',
  DOGE: '0.1',
};
const SYMBOLS: Record<string, string> = {
  BTC: 'BTC',
  BTC_BECH32: 'BTC',
  BTC_LIGHTNING: 'BTC',
  LTC: 'LTC',
  ETH: 'ETH',
  ETH_USDT: 'USDT',
  DOGE: 'DOGE',
  XRP: 'XRP',
};

/**
 * A payment service in memory with the public interface, for tests of the BFF. It checks signatures
 * with node:crypto, counts money in integers of 10^-8, and can simulate every failure of a real
 * service.
 */
export class TestService {
  /** Milliseconds; moved by `advance`. */
  time: number;
  readonly invoices: ServiceInvoice[] = [];
  readonly transactions: ServiceTransaction[] = [];
  readonly faults: Fault[] = [];
  readonly requests: { method: string; path: string; payload: Record<string, unknown> }[] = [];
  kinds = Object.keys(SYMBOLS);
  /** Of these kinds: those that its profile marks. It still makes invoices in them. */
  unavailable: string[] = [];
  network = 'testnet';
  /** The extensions: renewal and the webhook headers. */
  extensions = true;
  expiresSeconds: number | null = 900;
  onrampApiKey: string | null = null;
  /** Signs receipts. */
  readonly receiptKey = generateKeyPairSync('ed25519');
  readonly #nonces = new Set<string>();
  /** The duration of the quotes of each invoice, and the extended invoices. */
  readonly #periods = new Map<string, number>();
  readonly #extended = new Set<string>();
  #count = 0;

  constructor(time = Date.parse('2026-11-21T08:00:00Z')) {
    this.time = time;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const method = init?.method ?? 'GET';
    const fault = this.#takeFault(method, url.pathname);
    if (fault && !fault.after) return this.#fail(fault, init?.signal);
    const answer = url.pathname.startsWith('/lnurl/')
      ? json(200, { tag: 'payRequest', path: url.pathname, query: url.search })
      : url.pathname.startsWith('/.well-known/')
        ? json(200, { keys: [], path: url.pathname })
        : this.#signed(method, url, new Headers(init?.headers));
    return fault ? this.#fail(fault, init?.signal, await answer.text()) : answer;
  };

  advance(seconds: number): void {
    this.time += seconds * 1000;
    for (const invoice of this.invoices) this.#settle(invoice);
  }

  invoice(id: string): ServiceInvoice {
    const found = this.invoices.find((one) => one.id === id);
    if (!found) throw new Error(`no invoice ${id}`);
    return found;
  }

  /** Pays an invoice; by default the exact amount. */
  pay(
    id: string,
    {
      amount,
      kind,
      confirmations = 0,
    }: { amount?: string; kind?: string; confirmations?: number } = {},
  ): ServiceTransaction {
    const invoice = this.invoice(id);
    const transaction: ServiceTransaction = {
      id: randomUUID(),
      kind: kind ?? invoice.kind,
      txid: createHash('sha256')
        .update(String(this.#count++))
        .digest('hex'),
      status: 'pending',
      confirmations,
      created_at: stamp(this.time),
      invoiceId: id,
      amount: units(amount ?? invoice.amount.invoiced.amount),
    };
    this.transactions.push(transaction);
    this.confirm(transaction, confirmations);
    return transaction;
  }

  confirm(transaction: ServiceTransaction, confirmations: number, status?: string): void {
    transaction.confirmations = confirmations;
    transaction.status =
      status ?? (confirmations >= 6 ? 'complete' : confirmations >= 1 ? 'confirmed' : 'pending');
    this.#settle(this.invoice(transaction.invoiceId));
  }

  /** The network drops a payment, or sees it again, without a callback. */
  drop(transaction: ServiceTransaction, dropped = true): void {
    transaction.dropped = dropped;
    transaction.confirmations = 0;
    transaction.status = 'pending';
    this.#settle(this.invoice(transaction.invoiceId));
  }

  /** The signed request of the service for an event. */
  callback(
    event: string,
    id: string,
    options: {
      callbackId?: string;
      at?: number;
      token?: string;
      headers?: boolean;
      result?: unknown;
    } = {},
  ): Request {
    const {
      callbackId = randomUUID(),
      at = Date.now(),
      token = CALLBACK_TOKEN,
      headers = this.extensions,
    } = options;
    const result =
      options.result ??
      (event.startsWith('transaction_')
        ? this.#presentTransaction(this.transactions.find((one) => one.id === id)!)
        : this.#present(this.invoice(id)));
    const signature = createHmac('sha256', token).update(callbackId).digest('hex');
    const body = JSON.stringify({
      callback_id: callbackId,
      callback_status: event,
      signature,
      result,
      [event.split('_')[0] ?? '']: result,
    });
    const timestamp = String(Math.floor(at / 1000));
    const signed = createHmac('sha256', token)
      .update(`${callbackId}.${timestamp}.${body}`)
      .digest('base64');
    return new Request('http://pay.test/callbacks', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(headers && {
          'webhook-id': callbackId,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signed}`,
        }),
      },
      body,
    });
  }

  /** The requests with this method and path. */
  count(method: string, path: RegExp): number {
    return this.requests.filter((one) => one.method === method && path.test(one.path)).length;
  }

  #signed(method: string, url: URL, headers: Headers): Response {
    const text = headers.get('x-cc-payload') ?? '';
    const expected = createHmac('sha256', API_SECRET).update(text).digest('hex');
    if (headers.get('x-cc-key') !== API_KEY || headers.get('x-cc-signature') !== expected)
      return this.#refuse(401, 'InvalidApiKey');
    const payload = JSON.parse(Buffer.from(text, 'base64').toString()) as Record<string, unknown>;
    if (payload['request'] !== url.pathname) return this.#refuse(400, 'EndpointMismatch');
    const nonce = /"nonce":(\d+)/.exec(Buffer.from(text, 'base64').toString())?.[1] ?? '';
    if (this.#nonces.has(nonce)) return this.#refuse(400, 'InvalidNonce');
    this.#nonces.add(nonce);
    this.requests.push({ method, path: url.pathname, payload });
    return this.#route(method, url.pathname, payload);
  }

  #route(method: string, path: string, payload: Record<string, unknown>): Response {
    const [, , noun, id, verb] = path.split('/');
    if (noun === 'invoices' && method === 'POST' && !id) return this.#create(payload);
    if (noun === 'invoices' && !id)
      return this.#page(
        this.#listed(payload).map((one) => this.#present(one)),
        payload,
      );
    if (noun === 'invoices' && method === 'POST' && verb === 'renew' && this.extensions)
      return this.#renew(id ?? '', payload);
    if (noun === 'invoices' && method === 'POST' && verb === 'cancel-request' && this.extensions)
      return this.#cancelRequest(id ?? '');
    if (noun === 'invoices' && verb === 'receipt') return this.#receipt(id ?? '');
    if (noun === 'invoices' && verb === 'refundable')
      return json(200, { result: this.#refundableOf(id ?? '') }, this.time);
    if (noun === 'refunds' && method === 'GET')
      return this.#page(
        // Newest first, as the service lists them.
        this.refunds.filter((one) => one['invoice_id'] === payload['invoice_id']).toReversed(),
        payload,
      );
    if (noun === 'refunds' && method === 'POST') return this.#refund(payload);
    if (noun === 'invoices' && id && !verb) {
      const found = this.invoices.find((one) => one.id === id);
      return found
        ? json(200, { result: this.#present(found) }, this.time)
        : this.#refuse(404, 'NotFound');
    }
    if (noun === 'transactions' && verb === 'accept-late') return this.#acceptLate(id ?? '');
    if (noun === 'transactions') {
      const own = this.transactions.filter((one) => one.invoiceId === payload['invoice_id']);
      return this.#page(
        own.toReversed().map((one) => this.#presentTransaction(one)),
        payload,
      );
    }
    if (noun === 'profiles' && id === PROFILE_ID)
      return json(200, { result: this.#profile() }, this.time);
    if (noun === 'exchange-rates')
      return json(
        200,
        {
          result: Object.entries(this.rates).map(([symbol, rate_usd]) => ({
            id: symbol.toLowerCase(),
            kind: 'fiat',
            symbol,
            rate_usd,
            rate_btc: '1',
            sign: '',
          })),
        },
        this.time,
      );
    if (noun === 'network-fees')
      return json(
        200,
        {
          result: Object.entries(this.networkFees).map(([kind, fee_usd]) => ({
            kind,
            fee_usd,
            seconds: 600,
          })),
        },
        this.time,
      );
    return this.#refuse(404, 'NotFound');
  }

  #create(payload: Record<string, unknown>): Response {
    const kind = String(payload['kind']);
    if (!this.kinds.includes(kind)) return this.#refuse(400, 'CurrencyNotEnabled');
    const id = randomUUID();
    const currency = String(payload['currency']);
    const seconds = (payload['invoice_expiration'] as number | undefined) ?? this.expiresSeconds;
    this.#periods.set(id, seconds ?? 0);
    const invoice: ServiceInvoice = {
      id,
      kind,
      created_at: stamp(this.time),
      expires_at:
        seconds === null || kind === 'BTC_LIGHTNING_LNURL'
          ? null
          : stamp(this.time + seconds * 1000),
      profile_id: String(payload['profile_id']),
      address: kind.startsWith('BTC_LIGHTNING') ? null : addressOf(kind, this.#count++),
      lightning:
        kind === 'BTC_LIGHTNING' || payload['with_lightning'] === true
          ? {
              payment_request: `lntb${this.#count++}test${id.replaceAll('-', '')}`,
              payment_hash: id,
              lnurl: null,
              lnurl_invoice_id: null,
            }
          : kind === 'BTC_LIGHTNING_LNURL'
            ? {
                payment_request: null,
                payment_hash: null,
                lnurl: `lnurl1${id.replaceAll('-', '')}`,
                lnurl_invoice_id: null,
              }
            : null,
      network: this.network,
      status: 'new',
      amount: {
        requested: { amount: String(payload['amount']), currency },
        invoiced: this.#price(String(payload['amount']), currency, kind),
        paid: null,
      },
      custom_fee: null,
      min_confirmations: 1,
      zero_conf_enabled: false,
      notes: (payload['notes'] as string | undefined) ?? null,
      passthrough: (payload['passthrough'] as string | undefined) ?? null,
      order_id: (payload['order_id'] as string | undefined) ?? null,
      proof: { kid: 'test-key', signature: `signature of ${id}` },
      ...(payload['with_lightning'] === true && {
        lightning_proof: { kid: 'test-key', signature: `of the request of ${id}` },
      }),
    };
    this.invoices.push(invoice);
    return json(201, { result: this.#present(invoice) }, this.time);
  }

  #receipt(id: string): Response {
    const found = this.invoices.find((one) => one.id === id);
    if (!found) return this.#refuse(404, 'NotFound');
    this.#settle(found);
    const status = this.#receiptStatus(found);
    if (status === null) return this.#refuse(409, 'InvalidState');
    const { kind, order_id, network, created_at, amount } = found;
    const claims = {
      iat: Math.floor(this.time / 1000),
      account_id: 'a',
      invoice_id: id,
      order_id,
      network,
      kind,
      status,
      final: status === 'complete',
      amount: amount.requested,
      invoiced: amount.invoiced,
      created_at,
      payments: this.#orderOf(found)
        .flatMap((invoice) => this.#countedPayments(invoice))
        .toSorted((a, b) => a.created_at.localeCompare(b.created_at))
        .map((one) => ({
          invoice_id: one.invoiceId,
          kind: one.kind,
          txid: one.txid,
          amount: { amount: decimal(one.amount), currency: SYMBOLS[one.kind] ?? one.kind },
          status: one.status,
          late: one.accepted === true,
          created_at: one.created_at,
          confirmed_at: null,
        })),
      refunds: [],
    };
    const encoded = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = { alg: 'EdDSA', typ: 'crypto-checkout-receipt', kid: 'test-key' };
    const text = `${encoded(header)}.${encoded(claims)}`;
    const signature = sign(null, Buffer.from(text), this.receiptKey.privateKey);
    return json(
      200,
      { result: { receipt: `${text}.${signature.toString('base64url')}` } },
      this.time,
    );
  }

  /** Payments in time, and late ones that were accepted, without what goes back. */
  #countedPayments({ id, kind, expires_at }: ServiceInvoice): ServiceTransaction[] {
    return this.transactions.filter(
      (one) =>
        one.invoiceId === id &&
        one.kind === kind &&
        one.refunded === undefined &&
        !isVoidStatus(one.status) &&
        (one.accepted === true || expires_at === null || one.created_at < expires_at),
    );
  }

  #orderOf(invoice: ServiceInvoice): ServiceInvoice[] {
    const { order_id } = invoice;
    return this.invoices.filter(
      (one) => one === invoice || (order_id !== null && one.order_id === order_id),
    );
  }

  /** As the service: the invoice alone, or its order where it asks for the whole. */
  #receiptStatus(invoice: ServiceInvoice): string | null {
    if (invoice.status === 'paid' || invoice.status === 'complete') return invoice.status;
    const order = this.#orderOf(invoice);
    const since = invoice.created_at;
    const asked = (one: ServiceInvoice): bigint => units(one.amount.requested.amount);
    const valueOf = (one: ServiceInvoice, minimum: number): bigint =>
      this.#countedPayments(one)
        .filter(({ created_at }) => created_at >= since)
        .filter(({ confirmations }) => confirmations >= minimum)
        .reduce((sum, { amount }) => sum + amount * asked(one), 0n) /
      units(one.amount.invoiced.amount);
    const covers = (some: readonly ServiceInvoice[], minimum: number): boolean =>
      some.reduce((sum, one) => sum + valueOf(one, minimum), 0n) * 1000n >= asked(some[0]!) * 995n;
    const isPart =
      this.#countedPayments(invoice).length === 0 ||
      order.some(
        (one) =>
          asked(one) > asked(invoice) ||
          ['paid', 'complete'].includes(one.status) ||
          covers([one], 1),
      );
    const counted = isPart ? [invoice] : [invoice, ...order.filter((one) => one !== invoice)];
    return covers(counted, 6) ? 'complete' : covers(counted, 1) ? 'paid' : null;
  }

  #renew(id: string, payload: Record<string, unknown>): Response {
    const invoice = this.invoices.find((one) => one.id === id);
    if (!invoice) return this.#refuse(404, 'NotFound');
    const runs = invoice.expires_at === null || Date.parse(invoice.expires_at) > this.time;
    const isCounted = this.transactions.some(
      ({ invoiceId, kind, status }) =>
        invoiceId === id && kind === invoice.kind && !isVoidStatus(status),
    );
    if (isCounted || runs !== (payload['extend'] === true))
      return this.#refuse(409, 'InvalidState');
    if (runs && this.#extended.has(id)) return this.#refuse(409, 'InvalidState');
    if (runs) this.#extended.add(id);
    else this.#extended.delete(id);
    invoice.status = 'new';
    invoice.expires_at = stamp(
      (runs ? Date.parse(invoice.expires_at ?? '') : this.time) +
        (this.#periods.get(id) ?? 0) * 1000,
    );
    if (!runs)
      invoice.amount.invoiced = this.#price(
        invoice.amount.requested.amount,
        invoice.amount.requested.currency,
        invoice.kind,
      );
    return json(200, { result: this.#present(invoice) }, this.time);
  }

  /** A lightning invoice ends with its request; one with an address stays payable. */
  #cancelRequest(id: string): Response {
    const invoice = this.invoices.find((one) => one.id === id);
    if (!invoice) return this.#refuse(404, 'NotFound');
    if (!invoice.lightning) return this.#refuse(409, 'InvalidState');
    if (invoice.kind === 'BTC_LIGHTNING') {
      invoice.expires_at = stamp(this.time);
      invoice.status = 'expired';
    } else invoice.lightning = null;
    return json(200, { result: this.#present(invoice) }, this.time);
  }

  /** Usual fees in US dollars, by kind; null when one is unknown. */
  networkFees: Record<string, string | null> = { BTC: '2.1', ETH: null };

  /** Tests may change `rates`, for a renewed quote. */
  readonly rates = { ...RATES };

  #price(amount: string, currency: string, kind: string): ServiceInvoice['amount']['invoiced'] {
    const symbol = SYMBOLS[kind] ?? kind;
    const rate = units(this.rates[symbol] ?? '1');
    const exact = units(amount) * units(this.rates[currency] ?? '1');
    return {
      amount: decimal((exact + rate - 1n) / rate),
      currency: symbol,
      rate_usd: this.rates[symbol] ?? '1',
    };
  }

  #settle(invoice: ServiceInvoice): void {
    const own = this.transactions.filter(
      (one) =>
        one.invoiceId === invoice.id &&
        one.kind === invoice.kind &&
        !one.dropped &&
        !['replaced', 'failed', 'quarantined'].includes(one.status),
    );
    const end = invoice.expires_at === null ? Infinity : Date.parse(invoice.expires_at);
    const inTime = own.filter((one) => Date.parse(one.created_at) < end);
    const sum = (transactions: readonly ServiceTransaction[]): bigint =>
      transactions.reduce((before, { amount }) => before + amount, 0n);
    const paid = sum(inTime);
    const all = sum(own);
    const least = (units(invoice.amount.invoiced.amount) * 995n) / 1000n;
    // All present or expected payments, late or not.
    invoice.amount.paid =
      all > 0n ? { amount: decimal(all), currency: invoice.amount.invoiced.currency } : null;
    if (paid >= least)
      invoice.status = inTime.every((one) => one.status === 'complete')
        ? 'complete'
        : inTime.every((one) => one.confirmations >= 1)
          ? 'paid'
          : 'pending';
    else if (this.time >= end) invoice.status = 'expired';
    else invoice.status = paid > 0n ? 'pending' : 'new';
  }

  #present(invoice: ServiceInvoice): Record<string, unknown> {
    this.#settle(invoice);
    const transactions = this.transactions
      .filter((one) => one.invoiceId === invoice.id)
      .map(({ id, kind, txid, confirmations, amount, created_at }) => ({
        id,
        kind,
        txid,
        confirmations,
        amount: decimal(amount),
        created_at,
      }));
    return { ...invoice, transactions };
  }

  /** Money that the service would return; tests fill it. */
  readonly refundable: Record<string, unknown>[] = [];

  #refundableOf(invoiceId: string): Record<string, unknown>[] {
    return this.refundable.flatMap((money) => {
      const paid = this.transactions.find(
        (one) => one.id === money['transaction_id'] && one.invoiceId === invoiceId,
      );
      if (!paid) return [];
      if (paid.refunded === undefined) return [money];
      const open = this.#openRefund(paid.id);
      return isReplaceable(open) ? [{ ...money, replaces: open['id'] }] : [];
    });
  }

  #openRefund(transactionId: string): Record<string, unknown> | undefined {
    return this.refunds.find(
      ({ transaction_id, status }) => transaction_id === transactionId && status !== 'rejected',
    );
  }

  /** Refunds that were asked for; tests may change them. */
  readonly refunds: Record<string, unknown>[] = [];

  /** The member of a request for a refund that the service refuses. */
  refusedField: string | null = null;

  /** One open refund a transaction, as the service has; a proven one replaces an unproven one. */
  #refund({
    transaction_id,
    address,
    destination_tag = null,
    is_proven,
    estimate_only,
  }: Record<string, unknown>): Response {
    const found = this.transactions.find(({ id }) => id === transaction_id);
    if (!found) return this.#refuse(404, 'NotFound');
    if (address === 'nowhere') return this.#refuse(400, 'InvalidAddress');
    if (address === 'shop') return this.#refuse(400, 'ShopAddress');
    if (this.refusedField !== null)
      return json(
        400,
        {
          result: 'error',
          reason: 'ValidationError',
          message: `${this.refusedField} is refused`,
          errors: [{ field: this.refusedField, message: 'is refused' }],
        },
        this.time,
      );
    const amount = { amount: decimal(found.amount), currency: SYMBOLS[found.kind] ?? found.kind };
    const isEstimate = estimate_only === true;
    const open = this.#openRefund(found.id);
    const isSame =
      open !== undefined &&
      open['address'] === address &&
      open['destination_tag'] === destination_tag;
    const replaced = is_proven === true && isReplaceable(open) ? open : undefined;
    if (open && !replaced && !isSame) return this.#refuse(409, 'AlreadyExists');
    if (open && isSame && !isEstimate) {
      if (replaced) replaced['is_proven'] = true;
      return json(200, { result: open }, this.time);
    }
    if (!isEstimate) {
      found.refunded = found.amount;
      if (replaced) replaced['status'] = 'rejected';
    }
    const at = new Date(this.time).toISOString();
    const refund = {
      id: isEstimate ? null : `refund-${found.id}-${this.refunds.length}`,
      transaction_id,
      invoice_id: found.invoiceId,
      profile_id: PROFILE_ID,
      kind: found.kind,
      status: 'requested',
      cause: 'late',
      address,
      destination_tag,
      amount,
      received: amount,
      network_fee_pays: 'recipient',
      is_proven: is_proven === true,
      network: this.network,
      created_at: at,
      updated_at: at,
    };
    if (!isEstimate) this.refunds.push(refund);
    return json(isEstimate ? 200 : 201, { result: refund }, this.time);
  }

  #acceptLate(id: string): Response {
    const found = this.transactions.find((one) => one.id === id);
    if (!found) return this.#refuse(404, 'NotFound');
    if (found.refunded !== undefined) return this.#refuse(409, 'InvalidState');
    found.accepted = true;
    return json(200, { result: this.#presentTransaction(found) }, this.time);
  }

  #presentTransaction(transaction: ServiceTransaction): Record<string, unknown> {
    const { invoiceId, amount, dropped: _, refunded, accepted, ...rest } = transaction;
    const { status: __, ...invoice } = this.invoice(invoiceId);
    const currency = SYMBOLS[transaction.kind] ?? transaction.kind;
    return {
      ...rest,
      invoice,
      amount: {
        paid: { amount: decimal(amount), currency, quotes: {} },
        ...(refunded !== undefined && { refunded: { amount: decimal(refunded), currency } }),
      },
      ...(accepted === true && { late_accepted: true }),
      currency_rates: {},
      executed_at: null,
      confirmed_at: null,
      zero_conf_status: null,
      network: this.network,
      risk_level: null,
      risk_data: {},
      sub_kind: null,
    };
  }

  #profile(): Record<string, unknown> {
    return {
      id: PROFILE_ID,
      account: 'test',
      account_id: randomUUID(),
      name: 'default',
      invoice_expiration: 900,
      onramp_api_key: this.onrampApiKey,
      stablecoin_precision: 2,
      acceptance_range: { positive_difference: '0.5000', negative_difference: '0.5000' },
      callback_url: 'http://pay.test/callbacks',
      currencies: this.kinds.map((kind) => ({
        kind,
        network: this.network,
        wallet_id: 'w',
        custom_fee: null,
        min_confirmations: 1,
        ...(this.unavailable.includes(kind) ? { unavailable: true } : {}),
      })),
    };
  }

  /** Newest first. The filter by order is an extension; other services ignore it. */
  #listed({ order_id }: Record<string, unknown>): ServiceInvoice[] {
    const isFiltered = this.extensions && order_id !== undefined;
    return this.invoices.filter((one) => !isFiltered || one.order_id === order_id).toReversed();
  }

  #page(items: unknown[], payload: Record<string, unknown>): Response {
    const page = Number(payload['p'] ?? 1);
    const pages = Math.max(1, Math.ceil(items.length / 25));
    const pagination = {
      num_pages: pages,
      count: items.length,
      page,
      next_page: page < pages ? page + 1 : null,
      previous_page: page > 1 ? page - 1 : null,
      per_page: 25,
    };
    return json(200, { pagination, result: items.slice((page - 1) * 25, page * 25) }, this.time);
  }

  #refuse(status: number, reason: string): Response {
    return json(
      status,
      { result: 'error', reason, message: `refused with ${reason}`, request_id: 'r' },
      this.time,
    );
  }

  #takeFault(method: string, path: string): Fault | undefined {
    const fault = this.faults.find(
      (one) => one.times > 0 && (one.method ?? method) === method && one.path.test(path),
    );
    if (fault) fault.times -= 1;
    return fault;
  }

  async #fail(
    { how }: Fault,
    signal: AbortSignal | null | undefined,
    text = '{"result":{}}',
  ): Promise<Response> {
    const secret = 'SECRET-DETAIL: connection refused by 10.0.0.7';
    if (how === 'down') throw new TypeError(secret);
    if (how === 'closed') {
      const cause = Object.assign(new Error(secret), { code: 'ECONNREFUSED' });
      throw new TypeError('fetch failed', { cause });
    }
    if (how === 'hang')
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    if (how === 'html')
      return new Response(`<html><h1>${secret}</h1></html>`, {
        status: 200,
        headers: { 'content-type': 'text/html' },
      });
    if (how === 'truncated')
      return new Response(text.slice(0, Math.floor(text.length / 2)), { status: 201 });
    if (how === '429')
      return new Response(secret, { status: 429, headers: { 'retry-after': '9' } });
    if (how === '409') return this.#refuse(409, 'InvalidState');
    if (how === 'refuse') return this.#refuse(400, 'ValidationError');
    return new Response(`{"message":"${secret}"}`, { status: Number(how) });
  }
}

/** Whether a proven request takes the place of a refund. */
const isReplaceable = (
  refund: Record<string, unknown> | undefined,
): refund is Record<string, unknown> =>
  refund?.['status'] === 'requested' && refund['is_proven'] === false;
