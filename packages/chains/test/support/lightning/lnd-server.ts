import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCertificate, type Certificate } from './certificate.ts';
import { checkAnswer, checkRequest } from './description.ts';
import { startHttpsServer, type HttpsServer } from './https-server.ts';
import { channelAnswer, invoiceAnswer, paymentAnswer } from './lnd-answers.ts';
import { LndBook, LndRefusal, type BookedInvoice } from './lnd-book.ts';
import { createBakery, type Bakery } from './macaroon.ts';

/** How the node fails from now on. */
export type LndFault = 'silent' | 'empty' | 'locked' | 'starting' | 'proxy';

/** LND's REST interface in front of a real node. */
export interface LndServer extends HttpsServer {
  book: LndBook;
  bakery: Bakery;
  fault(fault: LndFault | null): void;
  /** Ends the connection of the next payment after the node got it. */
  hangUpOnPayment(): void;
  /** The next answer about an invoice or payment is lost before the node gets the request. */
  loseNextSend(): void;
  /** The node's description of itself. */
  info: { network: string; version: string; synced: boolean };
  /** Requests of a path so far. */
  requests(path: string): number;
  /** Answers that LND's description does not allow. */
  readonly violations: readonly string[];
}

const DAY_MS = 86_400_000;

/** A certificate that is valid today. */
export const validCertificate = (): Certificate =>
  createCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + 30 * DAY_MS));

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  body: Record<string, string | boolean | number>;
}

interface Route {
  method: string;
  /** As in LND's description. */
  path: string;
  pattern: RegExp;
  permission: string;
  answer(exchange: Exchange, parameter: string): unknown;
}

const NOT_FOUND = 5;
const UNKNOWN = 2;

export async function startLndServer(book: LndBook): Promise<LndServer> {
  const bakery = createBakery();
  const counts = new Map<string, number>();
  const violations: string[] = [];
  const state = { fault: null as LndFault | null, hangsUp: false, loses: false };
  const info = { network: 'regtest', version: '0.18.5-beta commit=v0.18.5-beta', synced: true };

  /** Notes an answer that LND would not give; the test fails by it. */
  function checked<T>(route: Route, answer: T): T {
    try {
      return checkAnswer(route.method, route.path, answer);
    } catch (error) {
      violations.push(String(error));
      throw error;
    }
  }

  const item = (route: Route, result: object): string =>
    `${JSON.stringify(checked(route, { result }))}\n`;

  function subscribe(route: Route, { response, url }: Exchange): void {
    const after = Number(url.searchParams.get('settle_index') ?? 0);
    const write = (invoice: BookedInvoice): void =>
      void response.write(item(route, invoiceAnswer(invoice)));
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    // Without an index LND sends only news.
    const past = [...book.invoices.values()]
      .filter(({ settleIndex }) => after > 0 && settleIndex > after)
      .toSorted((a, b) => a.settleIndex - b.settleIndex);
    past.forEach(write);
    book.watchers.add(write);
    response.on('close', () => book.watchers.delete(write));
  }

  async function sendPayment(route: Route, { response, body }: Exchange): Promise<void> {
    if (state.loses) {
      state.loses = false;
      response.destroy();
      return;
    }
    const amount = body['amt_msat'];
    const payment = book.pay({
      request: String(body['payment_request']),
      msat: amount === undefined ? null : BigInt(String(amount)),
      feeLimitMsat: BigInt(String(body['fee_limit_msat'] ?? 0)),
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    if (state.hangsUp) {
      state.hangsUp = false;
      response.destroy();
      return;
    }
    response.write(item(route, paymentAnswer(payment)));
    await payment.ended;
    response.end(item(route, paymentAnswer(payment)));
  }

  async function track(route: Route, { response }: Exchange, id: string): Promise<void> {
    const payment = book.payments.get(Buffer.from(id, 'base64url').toString('hex'));
    if (payment === undefined) throw new LndRefusal(NOT_FOUND, 404, "payment isn't initiated");
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(item(route, paymentAnswer(payment)));
    if (payment.status === 'IN_FLIGHT') {
      await payment.ended;
      response.write(item(route, paymentAnswer(payment)));
    }
    response.end();
  }

  function listInvoices({ url }: Exchange): object {
    const offset = Number(url.searchParams.get('index_offset') ?? 0);
    const limit = Number(url.searchParams.get('num_max_invoices') ?? 100);
    const all = [...book.invoices.values()];
    const found =
      url.searchParams.get('reversed') === 'true'
        ? all.filter(({ addIndex }) => offset === 0 || addIndex < offset).slice(-limit)
        : all.filter(({ addIndex }) => addIndex > offset).slice(0, limit);
    return {
      invoices: found.map(invoiceAnswer),
      first_index_offset: String(found[0]?.addIndex ?? 0),
      last_index_offset: String(found.at(-1)?.addIndex ?? 0),
    };
  }

  function addInvoice({ body }: Exchange): object {
    const hash = body['description_hash'];
    const invoice = book.addInvoice({
      memo: String(body['memo'] ?? ''),
      msat: BigInt(String(body['value_msat'] ?? 0)),
      expiry: Number(body['expiry'] ?? 86_400),
      descriptionHash:
        hash === undefined ? null : Buffer.from(String(hash), 'base64').toString('hex'),
    });
    return {
      r_hash: Buffer.from(invoice.hash, 'hex').toString('base64'),
      payment_request: invoice.request,
      add_index: String(invoice.addIndex),
      payment_addr: Buffer.alloc(32).toString('base64'),
    };
  }

  const nodeInfo = (): object => ({
    version: info.version,
    identity_pubkey: book.node.id,
    alias: 'a node of tests',
    block_height: book.node.height(),
    block_hash: '00',
    synced_to_chain: info.synced,
    synced_to_graph: true,
    num_active_channels: book.node.manager.list_usable_channels().length,
    chains: [{ chain: 'bitcoin', network: info.network }],
  });

  const routes: Route[] = [
    route('GET', '/v1/getinfo', 'info:read', nodeInfo),
    route('POST', '/v1/invoices', 'invoices:write', addInvoice),
    route('GET', '/v1/invoices', 'invoices:read', listInvoices),
    route('POST', '/v2/invoices/cancel', 'invoices:write', ({ body }) => {
      book.cancel(Buffer.from(String(body['payment_hash']), 'base64').toString('hex'));
      return {};
    }),
    route('GET', '/v1/channels', 'offchain:read', () => ({
      channels: book.node.manager.list_usable_channels().map(channelAnswer),
    })),
    route('GET', '/v1/invoices/subscribe', 'invoices:read', (exchange) =>
      subscribe(named('/v1/invoices/subscribe'), exchange),
    ),
    route('POST', '/v2/router/send', 'offchain:write', (exchange) =>
      sendPayment(named('/v2/router/send'), exchange),
    ),
    route('GET', '/v2/router/track/{payment_hash}', 'offchain:read', (exchange, id) =>
      track(named('/v2/router/track/{payment_hash}'), exchange, id),
    ),
  ];
  const named = (path: string): Route => routes.find((one) => one.path === path)!;

  async function handle(exchange: Exchange): Promise<void> {
    const { request, response, url } = exchange;
    const path = url.pathname;
    if (state.fault === 'locked')
      throw new LndRefusal(UNKNOWN, 500, 'wallet locked, unlock it to enable full RPC access');
    if (state.fault === 'starting')
      throw new LndRefusal(
        UNKNOWN,
        500,
        'the RPC server is in the process of starting up, but not yet ready to accept calls',
      );
    const found = routes.find(
      ({ method, pattern }) => method === request.method && pattern.test(path),
    );
    if (found === undefined) throw new LndRefusal(NOT_FOUND, 404, 'Not Found');
    counts.set(found.path, (counts.get(found.path) ?? 0) + 1);
    bake(() => bakery.check(request.headers['grpc-metadata-macaroon'] as string, found.permission));
    checkRequest(found.method, found.path, { query: url.searchParams, body: exchange.body });
    const parameter = decodeURIComponent(found.pattern.exec(path)?.[1] ?? '');
    const answer = await found.answer(exchange, parameter);
    if (answer !== undefined) send(response, 200, checked(found, answer));
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (state.fault === 'silent') return void response.destroy();
      if (state.fault === 'empty') return send(response, 200, null);
      if (state.fault === 'proxy') return void response.writeHead(404).end('<h1>Not Found</h1>');
      const text = Buffer.concat(chunks).toString();
      const body = (text === '' ? {} : JSON.parse(text)) as Exchange['body'];
      const url = new URL(request.url ?? '/', 'https://node');
      handle({ request, response, url, body }).catch((error: unknown) => {
        if (!(error instanceof LndRefusal)) violations.push(String(error));
        refuse(response, error, isStream(url.pathname));
      });
    });
  }

  const server = await startHttpsServer(validCertificate(), receive);
  return {
    ...server,
    book,
    bakery,
    info,
    violations,
    fault: (next) => void (state.fault = next),
    hangUpOnPayment: () => void (state.hangsUp = true),
    loseNextSend: () => void (state.loses = true),
    requests: (path) => counts.get(path) ?? 0,
  };
}

function route(method: string, path: string, permission: string, answer: Route['answer']): Route {
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`);
  return { method, path, pattern, permission, answer };
}

/** LND answers a wrong macaroon as an unknown error. */
function bake(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new LndRefusal(UNKNOWN, 500, error instanceof Error ? error.message : String(error));
  }
}

const isStream = (path: string): boolean => /subscribe|\/v2\/router\//.test(path);

function refuse(response: ServerResponse, error: unknown, wraps: boolean): void {
  if (response.headersSent) return void response.destroy();
  const { code, status, message } =
    error instanceof LndRefusal ? error : { code: UNKNOWN, status: 500, message: String(error) };
  const body = { code, message, details: [] };
  // The REST gateway wraps the error of a stream.
  send(response, status, wraps ? { error: body } : body);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
