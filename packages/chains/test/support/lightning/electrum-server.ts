import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Litecoind } from '../litecoind.ts';
import { ElectrumIndex } from './electrum-index.ts';

export interface ElectrumServer {
  port: number;
  stop(): void;
}

interface Client {
  socket: Socket;
  scripts: Set<string>;
  followsHeaders: boolean;
}

type Method = (parameters: unknown[], client: Client) => unknown;

/** Serves the Electrum protocol 1.4, as far as Electrum's daemon needs it, in front of a node. */
export async function startElectrumServer(chain: Litecoind): Promise<ElectrumServer> {
  const index = new ElectrumIndex(chain);
  const clients = new Set<Client>();
  const methods = createMethods(chain, index);
  await index.read();

  function notify(client: Client, method: string, params: unknown): void {
    client.socket.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
  }

  let isReading = false;
  async function follow(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      const before = index.headers.length;
      const changed = await index.read();
      for (const client of clients) {
        if (client.followsHeaders && index.headers.length > before)
          notify(client, 'blockchain.headers.subscribe', [newestHeader(index)]);
        for (const script of changed)
          if (client.scripts.has(script))
            notify(client, 'blockchain.scripthash.subscribe', [script, index.statusOf(script)]);
      }
    } finally {
      isReading = false;
    }
  }

  async function answer(client: Client, line: string): Promise<void> {
    const { id, method, params = [] } = JSON.parse(line) as Request;
    const called = methods[method];
    try {
      if (called === undefined) throw new Error(`unknown method ${method}`);
      const result = (await called(params, client)) ?? null;
      client.socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
    } catch (error) {
      const message = String(error);
      client.socket.write(
        `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message } })}\n`,
      );
    }
  }

  const server = createServer((socket) => {
    const client: Client = { socket, scripts: new Set(), followsHeaders: false };
    clients.add(client);
    socket.on('error', () => {});
    socket.on('close', () => clients.delete(client));
    let rest = '';
    socket.on('data', (data) => {
      const lines = `${rest}${String(data)}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') void answer(client, line);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = setInterval(() => void follow().catch(() => {}), 100);
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      clearInterval(timer);
      for (const { socket } of clients) socket.destroy();
      server.close();
    },
  };
}

interface Request {
  id: number;
  method: string;
  params?: unknown[];
}

const newestHeader = ({ headers }: ElectrumIndex) => ({
  height: headers.length - 1,
  hex: headers.at(-1),
});

function createMethods(chain: Litecoind, index: ElectrumIndex): Record<string, Method> {
  const history: Method = ([script]) => index.historyOf(script as string);
  return {
    'server.version': () => ['server of tests', '1.4'],
    'server.banner': () => '',
    'server.donation_address': () => '',
    'server.peers.subscribe': () => [],
    'server.ping': () => null,
    'server.features': async () => ({
      genesis_hash: await chain.call('getblockhash', 0),
      hash_function: 'sha256',
      protocol_max: '1.4',
      protocol_min: '1.4',
      pruning: null,
      server_version: 'server of tests',
      hosts: {},
    }),
    'blockchain.headers.subscribe': (_, client) => {
      client.followsHeaders = true;
      return newestHeader(index);
    },
    'blockchain.block.header': ([height]) => index.headers[height as number],
    'blockchain.block.headers': ([start, count]) => {
      const found = index.headers.slice(start as number, (start as number) + (count as number));
      return { count: found.length, hex: found.join(''), max: 2016 };
    },
    'blockchain.scripthash.subscribe': ([script], client) => {
      client.scripts.add(script as string);
      return index.statusOf(script as string);
    },
    'blockchain.scripthash.unsubscribe': ([script], client) =>
      client.scripts.delete(script as string),
    'blockchain.scripthash.get_history': history,
    'blockchain.transaction.get': ([txid, isVerbose = false]) =>
      chain.call('getrawtransaction', txid, isVerbose),
    'blockchain.transaction.get_merkle': ([txid, height]) =>
      index.merkleOf(txid as string, height as number),
    'blockchain.transaction.id_from_pos': ([height, position, withMerkle]) => {
      const txid = index.txidAt(height as number, position as number);
      return withMerkle
        ? { tx_hash: txid, merkle: index.merkleOf(txid, height as number).merkle }
        : txid;
    },
    'blockchain.transaction.broadcast': ([raw]) => chain.call('sendrawtransaction', raw),
    'blockchain.estimatefee': () => 0.00002,
    'blockchain.relayfee': () => 0.00001,
    'mempool.get_fee_histogram': () => [],
  };
}
