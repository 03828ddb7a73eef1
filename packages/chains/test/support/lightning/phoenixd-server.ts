import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BookedInvoice, LndBook } from './lnd-book.ts';
import { ROUTES } from './phoenixd-description.ts';

export type PhoenixdFault = 'silent' | 'empty' | 'proxy';

/** phoenixd's HTTP interface in front of a real node. */
export interface PhoenixdServer {
  url: string;
  /** The one that only receives, and the one that may pay. */
  passwords: { limited: string; full: string };
  info: { chain: string; version: string };
  /** Fee for liquidity that was taken out of a payment, in millisatoshis by hash. */
  fees: Map<string, bigint>;
  fault(fault: PhoenixdFault | null): void;
  /** Requests and answers that its description does not allow. */
  readonly violations: readonly string[];
  stop(): Promise<void>;
}

type Values = Record<string, string>;
const LIMIT = 20;
const NO_LOGIN =
  'Invalid authentication (use basic auth with the http password set in phoenix.conf)';

export async function startPhoenixdServer(book: LndBook): Promise<PhoenixdServer> {
  const passwords = { limited: 'a-limited-password-of-tests', full: 'a-full-password-of-tests' };
  const info = { chain: 'regtest', version: '0.8.0-1234567' };
  const fees = new Map<string, bigint>();
  const violations: string[] = [];
  let fault: PhoenixdFault | null = null;

  function presented(invoice: BookedInvoice): object {
    const { hash, request, memo, msat, createdAt, expiry, settledAt, paidMsat } = invoice;
    const fee = fees.get(hash) ?? 0n;
    return {
      type: 'incoming_payment',
      subType: 'lightning',
      paymentHash: hash,
      preimage: invoice.preimage,
      ...(memo !== '' && { description: memo }),
      invoice: request,
      isPaid: true,
      isExpired: false,
      ...(msat !== 0n && { requestedSat: Number(msat / 1_000n) }),
      receivedSat: Number((paidMsat - fee) / 1_000n),
      fees: Number(fee),
      expiresAt: (createdAt + expiry) * 1_000,
      completedAt: settledAt * 1_000,
      createdAt: createdAt * 1_000,
    };
  }

  const routes: Record<string, (values: Values) => unknown> = {
    'GET /getinfo': () => ({
      nodeId: book.node.id,
      channels: book.node.manager.list_usable_channels().map((usable) => ({
        state: 'Normal',
        balanceSat: Number(usable.get_outbound_capacity_msat() / 1_000n),
        inboundLiquiditySat: Number(usable.get_inbound_capacity_msat() / 1_000n),
        capacitySat: Number(usable.get_channel_value_satoshis()),
      })),
      chain: info.chain,
      blockHeight: book.node.height(),
      version: info.version,
    }),
    'POST /createinvoice'({ amountSat, description, descriptionHash, expirySeconds }) {
      const made = book.addInvoice({
        memo: description ?? '',
        msat: BigInt(amountSat ?? 0) * 1_000n,
        expiry: Number(expirySeconds ?? 3_600),
        descriptionHash: descriptionHash ?? null,
      });
      return {
        ...(amountSat !== undefined && { amountSat: Number(amountSat) }),
        paymentHash: made.hash,
        serialized: made.request,
      };
    },
    'GET /payments/incoming'({ from = '0', to, limit = String(LIMIT), offset = '0' }) {
      const until = to === undefined ? Infinity : Number(to);
      const received = [...book.invoices.values()]
        .filter(({ state, settledAt }) => {
          const at = settledAt * 1_000;
          return state === 'SETTLED' && at >= Number(from) && at <= until;
        })
        .toSorted((a, b) => b.settleIndex - a.settleIndex);
      const start = Number(offset);
      return received.slice(start, start + Number(limit)).map(presented);
    },
  };

  /** @returns status and body */
  function answer(request: IncomingMessage, body: string): [number, unknown] {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://phoenixd');
    const name = `${request.method} ${pathname}`;
    const password = passwordOf(request);
    const mayPay = password === passwords.full;
    if (!mayPay && password !== passwords.limited) return [401, NO_LOGIN];
    if (name === 'POST /payinvoice')
      return mayPay ? [400, 'Request parameter invoice is missing'] : [401, NO_LOGIN];
    const described = ROUTES[name];
    const route = routes[name];
    if (described === undefined || route === undefined)
      return [404, 'Unknown endpoint (check api doc)'];
    if (request.method === 'POST' && request.headers['content-type'] !== FORM)
      throw new Error(`${name} has another body: ${request.headers['content-type']}`);
    const values = Object.fromEntries(
      request.method === 'POST' ? new URLSearchParams(body) : searchParams,
    );
    described.request.parse(values);
    return [200, described.answer.parse(route(values))];
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (fault === 'silent') return void response.destroy();
      if (fault === 'empty') return send(response, 200, null);
      if (fault === 'proxy') return send(response, 404, '<h1>Not Found</h1>');
      try {
        const [status, content] = answer(request, Buffer.concat(chunks).toString());
        send(response, status, content);
      } catch (error) {
        violations.push(String(error));
        send(response, 500, String(error));
      }
    });
  }

  const server = createServer(receive);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    passwords,
    info,
    fees,
    violations,
    fault: (next) => void (fault = next),
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const FORM = 'application/x-www-form-urlencoded';

/** The user is empty. */
function passwordOf({ headers }: IncomingMessage): string | null {
  const [, encoded = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  return /^:(.*)$/.exec(Buffer.from(encoded, 'base64').toString())?.[1] ?? null;
}

function send(response: ServerResponse, status: number, content: unknown): void {
  const isText = typeof content === 'string';
  response
    .writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' })
    .end(isText ? content : JSON.stringify(content));
}
