import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hex } from '@scure/base';
import { scriptOf } from '../../../src/bitcoin/address.ts';
import type { BitcoinNetwork } from '../../../src/bitcoin/network.ts';
import type { Litecoind } from '../litecoind.ts';
import { blockAnswer, outspendAnswer, statusAnswer, transactionAnswer } from './esplora-answers.ts';
import { requireDescribed } from './esplora-description.ts';
import { type CoreBlock, EsploraIndex, type Horizon, type Place } from './esplora-index.ts';

export interface EsploraAnswer {
  status: number;
  body: string | Buffer;
  headers?: Readonly<Record<string, string>>;
}

/** Returns the answer that the caller receives; null ends the connection without one. */
export type ChangeEsplora = (path: string, answer: EsploraAnswer) => EsploraAnswer | null;

export interface EsploraServer {
  /** With the path that public services have. */
  url: string;
  /** Changes the answers from now on. */
  change(rule: ChangeEsplora): void;
  /** From now on nothing new is seen. Null: as usual. */
  freeze(horizon: Horizon | null): void;
  /** Number of requests so far whose path matches. */
  requests(path: RegExp): number;
  /** Answers that the published description does not allow. */
  violations: readonly string[];
  stop(): Promise<void>;
}

const BASE = '/api';
const MAX_UNCONFIRMED = 50;
const PAGE = 25;

/**
 * Stands in for Esplora (electrs) in front of a node, for the addresses of one network. Each answer
 * is compared with the published description.
 */
export async function startEsploraServer(
  node: Litecoind,
  network: BitcoinNetwork,
): Promise<EsploraServer> {
  const index = EsploraIndex.of(node);
  const paths: string[] = [];
  const violations: string[] = [];
  let rule: ChangeEsplora = (_, answer) => answer;
  let horizon: Horizon | null = null;

  async function answerTo(request: IncomingMessage, path: string): Promise<EsploraAnswer> {
    await index.read();
    const answer =
      request.method === 'POST'
        ? await broadcast(node, path, await bodyOf(request))
        : await find({ node, index, horizon, network }, path);
    if (answer.status !== 200) return answer;
    try {
      requireDescribed(path, answer.body);
    } catch (error) {
      violations.push(`${path}: ${String(error)}`);
      return { status: 500, body: 'The answer is not described' };
    }
    return answer;
  }

  async function respond(
    request: IncomingMessage,
    path: string,
    response: ServerResponse,
  ): Promise<void> {
    const answer = await answerTo(request, path).catch((error: unknown): EsploraAnswer => ({
      status: 500,
      body: String(error),
    }));
    const changed = rule(path, answer);
    if (changed === null) response.destroy();
    else response.writeHead(changed.status, changed.headers).end(changed.body);
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    if (!path.startsWith(BASE)) {
      response.writeHead(404).end('<h1>Nothing here</h1>');
      return;
    }
    const own = path.slice(BASE.length);
    paths.push(own);
    void respond(request, own, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${BASE}`,
    change: (next) => void (rule = next),
    freeze: (next) => void (horizon = next),
    requests: (pattern) => paths.filter((path) => pattern.test(path)).length,
    violations,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface Source {
  node: Litecoind;
  index: EsploraIndex;
  horizon: Horizon | null;
  network: BitcoinNetwork;
}

const json = (content: unknown): EsploraAnswer => ({ status: 200, body: JSON.stringify(content) });
const text = (body: string): EsploraAnswer => ({ status: 200, body });
const absent = (thing: string): EsploraAnswer => ({ status: 404, body: `${thing} not found` });

async function find(source: Source, path: string): Promise<EsploraAnswer> {
  const { node, index, horizon } = source;
  const [kind = '', id = '', part = '', ...rest] = path.slice(1).split('/');
  if (kind === 'blocks') return blocksAnswer(source, id, part);
  if (kind === 'block-height') {
    const block = index.blockAt(Number(id), horizon);
    return block === null ? absent('Block') : text(block.hash);
  }
  if (kind === 'block') {
    const block = index.blockOf(id, horizon);
    return block === null ? absent('Block') : blockPart(source, block, part);
  }
  if (kind === 'tx') {
    const place = index.find(id, horizon);
    return place === null ? absent('Transaction') : transactionPart(source, place, part, rest);
  }
  if (kind === 'address' || kind === 'scripthash') return addressPart(source, path);
  if (kind === 'fee-estimates') return json(await estimatesOf(node));
  return { status: 404, body: 'endpoint does not exist' };
}

function blocksAnswer({ index, horizon }: Source, id: string, part: string): EsploraAnswer {
  const tip = index.tip(horizon);
  if (id === 'tip') return text(part === 'hash' ? index.blockAt(tip, horizon)!.hash : String(tip));
  const from = id === '' ? tip : Number(id);
  const blocks = Array.from({ length: 10 }, (_, at) => index.blockAt(from - at, horizon));
  return json(blocks.flatMap((block) => (block === null ? [] : [blockAnswer(block)])));
}

async function blockPart(
  { node, index, horizon }: Source,
  block: CoreBlock,
  part: string,
): Promise<EsploraAnswer> {
  if (part === '') return json(blockAnswer(block));
  if (part === 'txids') return json(block.tx.map(({ txid }) => txid));
  if (part === 'status') {
    const next = index.blockAt(block.height + 1, horizon);
    return json({ in_best_chain: true, height: block.height, next_best: next?.hash ?? null });
  }
  if (part !== 'raw') return { status: 404, body: 'endpoint does not exist' };
  const raw = await node.call<string>('getblock', block.hash, 0);
  return { status: 200, body: Buffer.from(raw, 'hex') };
}

function transactionPart(
  { index, horizon }: Source,
  place: Place,
  part: string,
  [position = '']: readonly string[],
): EsploraAnswer {
  const { txid, hex: raw, vout } = place.transaction;
  const spendingOf = (at: number): object => {
    const outpoint = `${txid}:${at}`;
    return outspendAnswer(outpoint, index.spender(outpoint, horizon));
  };
  if (part === '') return json(transactionAnswer(index, place));
  if (part === 'status') return json(statusAnswer(place));
  if (part === 'hex') return text(raw);
  if (part === 'raw') return { status: 200, body: Buffer.from(raw, 'hex') };
  if (part === 'outspend') return json(spendingOf(Number(position)));
  if (part === 'outspends') return json(vout.map((_, at) => spendingOf(at)));
  return { status: 404, body: 'endpoint does not exist' };
}

const sha256 = (digits: string): string =>
  createHash('sha256').update(Buffer.from(digits, 'hex')).digest('hex');

function addressPart({ index, horizon, network }: Source, path: string): EsploraAnswer {
  const [kind = '', id = '', , list = '', last = ''] = path.slice(1).split('/');
  const wanted = kind === 'scripthash' ? id : scriptHashOf(network, id);
  if (wanted === null) return { status: 400, body: 'Invalid Bitcoin address' };
  const isOwn = ({ transaction: { vin, vout } }: Place): boolean =>
    [
      ...vout.map(({ scriptPubKey }) => scriptPubKey.hex),
      ...vin.map((input) => index.outputAt(input.txid ?? '', input.vout ?? 0)?.scriptPubKey.hex),
    ].some((script) => script !== undefined && sha256(script) === wanted);
  const mempool = index
    .unconfirmed(horizon)
    .map((transaction) => ({ transaction, block: null }))
    .filter(isOwn)
    .slice(0, MAX_UNCONFIRMED);
  const places =
    list === 'mempool' ? mempool : pageOf(index.confirmed(horizon).filter(isOwn), last);
  const found = list === '' ? [...mempool, ...places] : places;
  return json(found.map((place) => transactionAnswer(index, place)));
}

function pageOf(places: readonly Place[], last: string): Place[] {
  const from = places.findIndex(({ transaction }) => transaction.txid === last) + 1;
  return places.slice(from, from + PAGE);
}

function scriptHashOf({ versions }: BitcoinNetwork, address: string): string | null {
  try {
    return sha256(hex.encode(scriptOf(versions, address)));
  } catch {
    return null;
  }
}

/** A quiet chain has none. */
async function estimatesOf(node: Litecoind): Promise<Record<string, number>> {
  const rates: Record<string, number> = {};
  for (const target of [2, 6, 25]) {
    const { feerate } = await node.call<{ feerate?: number }>('estimatesmartfee', target);
    if (feerate !== undefined) rates[target] = feerate * 1e5;
  }
  return rates;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** The service hands on the node's own error. */
async function broadcast(node: Litecoind, path: string, raw: string): Promise<EsploraAnswer> {
  if (path !== '/tx') return { status: 404, body: 'endpoint does not exist' };
  try {
    return text(await node.call<string>('sendrawtransaction', raw));
  } catch (error) {
    const { code, message } = error as Error & { code?: number };
    const own = JSON.stringify({ code, message: message.replace(/^\w+: /, '') });
    return { status: 400, body: `sendrawtransaction RPC error: ${own}` };
  }
}
