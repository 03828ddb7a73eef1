import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { base64urlnopad } from '@scure/base';
import { METHODS } from './cln-description.ts';
import { validCertificate } from './lnd-server.ts';
import { startHttpsServer, type HttpsServer } from './https-server.ts';
import { LndBook, LndRefusal, type BookedInvoice, type BookedPayment } from './lnd-book.ts';

/** How the node fails from now on. */
export type ClnFault = 'silent' | 'empty' | 'proxy' | 'starting';

/** Core Lightning's clnrest in front of a real node. */
export interface ClnServer extends HttpsServer {
  book: LndBook;
  /** Makes a rune that allows these methods; null: all. */
  rune(methods: readonly string[] | null): string;
  fault(fault: ClnFault | null): void;
  info: { network: string; version: string; synced: boolean };
  /** Payments that are shown as failed while the node still tries. */
  retrying: Set<string>;
  /** Payments behind which a later one of the same request is listed, which failed. */
  failedAgain: Set<string>;
  /** Calls of xpay. */
  readonly xpays: number;
  /** Lets each xpay look for a route until `found` is called, and lists nothing meanwhile. */
  search(): { found(): void };
  /** The next call of xpay does not reach the node. */
  loseNextXpay(): void;
  /** The next call of xpay reaches the node, and its answer is lost. */
  hangUpOnXpay(): void;
  /** Requests and answers that the node's own description does not allow. */
  readonly violations: readonly string[];
}

/** An error as Core Lightning answers it. */
class ClnRefusal extends Error {
  readonly code: number;
  readonly status: number;

  constructor(code: number, message: string, status = 500) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

type Body = Record<string, unknown>;

export async function startClnServer(book: LndBook): Promise<ClnServer> {
  const violations: string[] = [];
  const runes = new Map<string, readonly string[] | null>();
  const labels = new Map<string, string>();
  const deleted = new Set<string>();
  const retrying = new Set<string>();
  const failedAgain = new Set<string>();
  const state = {
    fault: null as ClnFault | null,
    xpays: 0,
    nextXpay: null as 'lost' | 'unanswered' | null,
    search: Promise.resolve(),
  };
  const info = { network: 'regtest', version: 'v24.11.1', synced: true };

  const invoices = (): BookedInvoice[] =>
    [...book.invoices.values()].filter(({ hash }) => !deleted.has(hash));

  function presented(invoice: BookedInvoice): Body {
    const { hash, request, memo, msat, createdAt, expiry, addIndex } = invoice;
    const expiresAt = createdAt + expiry;
    const status =
      invoice.state === 'SETTLED' ? 'paid' : Date.now() / 1_000 > expiresAt ? 'expired' : 'unpaid';
    return {
      label: labels.get(hash) ?? hash,
      payment_hash: hash,
      status,
      created_index: addIndex,
      expires_at: expiresAt,
      bolt11: request,
      ...(memo === '' ? {} : { description: memo }),
      ...(msat === 0n ? {} : { amount_msat: Number(msat) }),
      ...(status === 'paid' && {
        pay_index: invoice.settleIndex,
        amount_received_msat: Number(invoice.paidMsat),
        paid_at: invoice.settledAt,
        payment_preimage: invoice.preimage,
      }),
    };
  }

  function presentedPayment(payment: BookedPayment): Body {
    const { hash, request, msat, createdAt, index, feeMsat } = payment;
    const common = {
      payment_hash: hash,
      bolt11: request,
      created_at: createdAt,
      created_index: index,
    };
    if (payment.status === 'SUCCEEDED')
      return {
        ...common,
        status: 'complete',
        amount_msat: Number(msat),
        amount_sent_msat: Number(msat + feeMsat),
        preimage: payment.preimage,
      };
    return payment.status === 'FAILED' || retrying.has(hash)
      ? { ...common, status: 'failed', amount_sent_msat: 0 }
      : { ...common, status: 'pending', amount_msat: Number(msat) };
  }

  const methods: Record<string, (body: Body, gone: AbortSignal) => unknown> = {
    getinfo: () => ({
      id: book.node.id,
      alias: 'a node of tests',
      color: '020202',
      num_peers: 1,
      num_pending_channels: 0,
      num_active_channels: book.node.manager.list_usable_channels().length,
      num_inactive_channels: 0,
      version: info.version,
      'lightning-dir': '/nowhere',
      blockheight: book.node.height(),
      network: info.network,
      fees_collected_msat: 0,
      address: [],
      ...(!info.synced && {
        warning_lightningd_sync: 'Still loading latest blocks from bitcoind.',
      }),
    }),
    invoice(body) {
      const text = String(body['description']);
      const isHashed = body['deschashonly'] === true;
      const made = book.addInvoice({
        memo: isHashed ? '' : text,
        msat: body['amount_msat'] === 'any' ? 0n : BigInt(body['amount_msat'] as number),
        expiry: Number(body['expiry'] ?? 604_800),
        descriptionHash: isHashed ? createHash('sha256').update(text).digest('hex') : null,
      });
      labels.set(made.hash, String(body['label']));
      return {
        bolt11: made.request,
        payment_hash: made.hash,
        payment_secret: randomBytes(32).toString('hex'),
        expires_at: made.createdAt + made.expiry,
        created_index: made.addIndex,
      };
    },
    listinvoices({ payment_hash, start, limit }) {
      const found =
        payment_hash === undefined
          ? invoices()
              .filter(({ addIndex }) => addIndex >= Number(start))
              .slice(0, Number(limit))
          : invoices().filter(({ hash }) => hash === payment_hash);
      return { invoices: found.map(presented) };
    },
    wait: () => ({
      subsystem: 'invoices',
      created: Math.max(0, ...[...book.invoices.values()].map(({ addIndex }) => addIndex)),
    }),
    async waitanyinvoice({ lastpay_index, timeout }, gone) {
      const next = (): BookedInvoice | undefined =>
        invoices()
          .filter(({ settleIndex }) => settleIndex > Number(lastpay_index))
          .toSorted((a, b) => a.settleIndex - b.settleIndex)[0];
      const found = next() ?? (await paidWithin(Number(timeout), next, gone));
      if (found === undefined) throw new ClnRefusal(904, 'Timed out while waiting for invoice');
      return presented(found);
    },
    delinvoice({ label, status }) {
      const found = invoices().find(({ hash }) => labels.get(hash) === label);
      if (found === undefined) throw new ClnRefusal(905, 'Unknown invoice');
      const shown = presented(found);
      if (shown['status'] !== status)
        throw new ClnRefusal(906, 'Invoice status is not as expected');
      deleted.add(found.hash);
      book.cancel(found.hash);
      return shown;
    },
    listpeerchannels: () => ({
      channels: book.node.manager.list_usable_channels().map((channel) => ({
        peer_id: Buffer.from(channel.get_counterparty().get_node_id()).toString('hex'),
        peer_connected: true,
        state: 'CHANNELD_NORMAL',
        receivable_msat: Number(channel.get_inbound_capacity_msat()),
        spendable_msat: Number(channel.get_outbound_capacity_msat()),
      })),
    }),
    async xpay({ invstring, amount_msat, maxfee }) {
      state.xpays += 1;
      await state.search;
      const payment = begun(book, {
        request: String(invstring),
        msat: amount_msat === undefined ? null : BigInt(amount_msat as number),
        feeLimitMsat: BigInt((maxfee as number | undefined) ?? 5_000),
      });
      await payment.ended;
      if (payment.status === 'FAILED') throw new ClnRefusal(205, 'Could not find a route');
      return {
        payment_preimage: payment.preimage,
        failed_parts: 0,
        successful_parts: 1,
        amount_msat: Number(payment.msat),
        amount_sent_msat: Number(payment.msat + payment.feeMsat),
      };
    },
    listpays({ payment_hash }) {
      const found = book.payments.get(String(payment_hash));
      if (found === undefined) return { pays: [] };
      const again = failedAgain.has(found.hash)
        ? [presentedPayment({ ...found, status: 'FAILED' })]
        : [];
      return { pays: [presentedPayment(found), ...again] };
    },
  };

  /** Resolves when there is an invoice, or the time is over, or the caller has gone. */
  function paidWithin(
    seconds: number,
    next: () => BookedInvoice | undefined,
    gone: AbortSignal,
  ): Promise<BookedInvoice | undefined> {
    if (seconds === 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        book.watchers.delete(look);
        resolve(next());
      };
      const look = (): void => {
        if (next() !== undefined) finish();
      };
      const timer = setTimeout(finish, seconds * 1_000);
      gone.addEventListener('abort', finish);
      book.watchers.add(look);
    });
  }

  function requireRune(request: IncomingMessage, method: string): void {
    const rune = request.headers['rune'];
    const allowed = typeof rune === 'string' ? runes.get(rune) : undefined;
    if (rune === undefined) throw new ClnRefusal(1501, 'Not authorized: Missing rune', 403);
    if (allowed === undefined)
      throw new ClnRefusal(1501, 'Not authorized: Not derived from master', 401);
    if (allowed !== null && !allowed.includes(method))
      throw new ClnRefusal(1502, 'Not permitted: method not equal', 401);
  }

  async function handle(
    request: IncomingMessage,
    text: string,
    gone: AbortSignal,
  ): Promise<unknown> {
    if (state.fault === 'starting') throw new ClnRefusal(-32601, 'Still starting up', 404);
    const name = /^\/v1\/([a-z]+)$/.exec(request.url ?? '')?.[1] ?? '';
    const described = METHODS[name];
    const method = methods[name];
    if (request.method !== 'POST' || described === undefined || method === undefined)
      throw new ClnRefusal(-32601, `Unknown command '${name}'`, 404);
    requireRune(request, name);
    const body: unknown = JSON.parse(text);
    described.request.parse(body);
    return described.answer.parse(await method(body as Body, gone));
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const xpay = request.url === '/v1/xpay' ? state.nextXpay : null;
      if (xpay !== null) state.nextXpay = null;
      if (xpay === 'lost' || state.fault === 'silent') return void response.destroy();
      if (state.fault === 'empty') return send(response, 201, null);
      if (state.fault === 'proxy') return void response.writeHead(404).end('<h1>Not Found</h1>');
      handle(request, Buffer.concat(chunks).toString(), leaving.signal).then(
        (answer) => (xpay === null ? send(response, 201, answer) : void response.destroy()),
        (error: unknown) => {
          if (!(error instanceof ClnRefusal)) violations.push(String(error));
          const { code, message, status } =
            error instanceof ClnRefusal ? error : new ClnRefusal(-32602, String(error));
          send(response, status, { code, message });
        },
      );
    });
  }

  const server = await startHttpsServer(validCertificate(), receive);
  return {
    ...server,
    book,
    info,
    retrying,
    failedAgain,
    violations,
    get xpays() {
      return state.xpays;
    },
    loseNextXpay: () => void (state.nextXpay = 'lost'),
    hangUpOnXpay: () => void (state.nextXpay = 'unanswered'),
    search() {
      let found = (): void => {};
      state.search = new Promise((resolve) => (found = resolve));
      return { found };
    },
    rune(allowed) {
      const restrictions =
        allowed === null ? '=0' : `=0&${allowed.map((name) => `method=${name}`).join('|')}`;
      const rune = base64urlnopad.encode(
        Buffer.concat([randomBytes(32), Buffer.from(restrictions)]),
      );
      runes.set(rune, allowed);
      return rune;
    },
    fault: (next) => void (state.fault = next),
  };
}

/** Core Lightning refuses before it sends anything. */
function begun(book: LndBook, payment: Parameters<LndBook['pay']>[0]): BookedPayment {
  try {
    return book.pay(payment);
  } catch (error) {
    if (!(error instanceof LndRefusal)) throw error;
    const isPaid = /already paid/.test(error.message);
    const isExpired = /expired/.test(error.message);
    throw new ClnRefusal(isPaid ? 219 : isExpired ? 207 : -1, error.message);
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
