import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { createOutbound, ForbiddenDestinationError } from './outbound.ts';
import { postOf } from './post.ts';

let server: Server;
let port: number;
let connections: number;

beforeAll(async () => {
  server = createServer((socket: Socket) => {
    connections += 1;
    socket.on('data', () =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'),
    );
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());
beforeEach(() => {
  connections = 0;
});

/** Names with the addresses that an attacker's name server would return. */
const names: Record<string, string[]> = {
  'private.example': ['10.0.0.5'],
  'loopback.example': ['127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'six.example': ['::1'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'sixtofour.example': ['2002:7f00:1::'],
  'unique-local.example': ['fd00::1'],
  'cgnat.example': ['100.64.0.1'],
  'zero.example': ['0.0.0.0'],
  localhost: ['127.0.0.1'],
  'localhost.': ['127.0.0.1'],
};
const resolve: NonNullable<Parameters<typeof createOutbound>[0]['resolve']> = (host, callback) => {
  const addresses = names[host] ?? [];
  callback(
    null,
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
};

const hostile = [
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://0x7f.1:PORT/',
  'http://0x7f000001:PORT/',
  'http://2130706433:PORT/',
  'http://017700000001:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127。0。0。1:PORT/',
  'http://①②⑦.0.0.1:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://0.0.0.0:PORT/',
  'http://0:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://localhost.:PORT/',
  'http://[::1]:PORT/',
  'http://[::]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2001:0:7f00:1::]:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[fd00::1]:PORT/',
  'http://[fec0::1]:PORT/',
  'http://[ff02::1]:PORT/',
  'http://[4000::1]:PORT/',
  'http://10.1.2.3:PORT/',
  'http://172.16.0.1:PORT/',
  'http://192.168.1.1:PORT/',
  'http://169.254.169.254/latest/meta-data/',
  'http://100.64.0.1:PORT/',
  'http://192.0.0.1:PORT/',
  'http://198.18.0.1:PORT/',
  'http://203.0.113.1:PORT/',
  'http://224.0.0.1:PORT/',
  'http://240.0.0.1:PORT/',
  'http://255.255.255.255:PORT/',
  'http://user:pass@127.0.0.1:PORT/',
  'http://user@93.184.215.14/',
  'https://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/_x',
  'data:text/plain,x',
  'unix:/tmp/x.sock',
  ...Object.keys(names).map((name) => `http://${name}:PORT/`),
];

describe('without exceptions', () => {
  it.each(hostile)('refuses %s, and connects to nothing', async (template) => {
    const outbound = createOutbound({ allow: [], allowHttp: true, resolve });
    const url = template.replace('PORT', String(port));
    const post = postOf(outbound)(url, { headers: {}, body: '{}', timeoutMs: 2_000, maxBytes: 10 });
    for (const attempt of [outbound(url), post])
      await expect(attempt).rejects.toBeInstanceOf(ForbiddenDestinationError);
    expect(connections).toBe(0);
  });

  it('refuses plain http outside of test accounts', async () => {
    await expect(createOutbound({ allow: [], resolve })('http://93.184.215.14/')).rejects.toThrow(
      ForbiddenDestinationError,
    );
  });

  it('resolves the name for every connection: DNS rebinding is refused', async () => {
    let asked = 0;
    const { outboundAllow: allow } = loadConfig({ OUTBOUND_ALLOW: `127.0.0.1/32:${port}` });
    const rebinding = createOutbound({
      allow,
      allowHttp: true,
      resolve: (_, callback) =>
        callback(null, [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]),
    });
    expect((await rebinding(`http://rebind.example:${port}/`)).status).toBe(200);
    await expect(rebinding(`http://rebind.example:${port}/`)).rejects.toThrow(
      ForbiddenDestinationError,
    );
    const again = postOf(rebinding)(`http://rebind.example:${port}/`, {
      headers: {},
      body: '{}',
      timeoutMs: 2_000,
      maxBytes: 10,
    });
    await expect(again).rejects.toThrow(ForbiddenDestinationError);
    expect(connections).toBe(1);
  });

  it('does not follow a redirect to a private address', async () => {
    let asked = 0;
    const redirecting = createServer((socket) => {
      asked += 1;
      socket.on('error', () => {});
      socket.on('data', () =>
        socket.end(
          `HTTP/1.1 307 Go\r\nLocation: http://127.0.0.2:${port}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        ),
      );
    });
    await new Promise<void>((done) => redirecting.listen(0, '127.0.0.1', done));
    const from = (redirecting.address() as AddressInfo).port;
    const { outboundAllow: allow } = loadConfig({ OUTBOUND_ALLOW: `127.0.0.0/8:${from},${port}` });
    const outbound = createOutbound({ allow, allowHttp: true });
    expect((await outbound(`http://127.0.0.1:${from}/`)).status).toBe(307);
    const post = await postOf(outbound)(`http://127.0.0.1:${from}/`, {
      headers: {},
      body: '{}',
      timeoutMs: 2_000,
      maxBytes: 10,
    });
    expect([post.status, asked, connections]).toEqual([307, 2, 0]);
    redirecting.close();
  });
});

describe('with OUTBOUND_ALLOW', () => {
  const outbound = (setting: string) =>
    createOutbound({
      allow: loadConfig({ OUTBOUND_ALLOW: setting }).outboundAllow,
      allowHttp: true,
      resolve,
    });

  it('opens exactly the listed network and port', async () => {
    expect((await outbound(`127.0.0.0/8:${port}`)(`http://127.0.0.1:${port}/`)).status).toBe(200);
    expect(
      (await outbound(`127.0.0.0/8:1,127.0.0.1/32:${port}`)(`http://loopback.example:${port}/`))
        .status,
    ).toBe(200);
    expect((await outbound('127.0.0.0/8')(`http://localhost:${port}/`)).status).toBe(200);
    connections = 0;
    await expect(outbound(`127.0.0.0/8:${port + 1}`)(`http://127.0.0.1:${port}/`)).rejects.toThrow(
      ForbiddenDestinationError,
    );
    await expect(
      outbound(`127.0.0.0/8:${port + 1}`)(`http://loopback.example:${port}/`),
    ).rejects.toThrow(ForbiddenDestinationError);
    await expect(outbound(`10.0.0.0/8:${port}`)(`http://127.0.0.1:${port}/`)).rejects.toThrow(
      ForbiddenDestinationError,
    );
    await expect(outbound(`127.0.0.0/8:${port}`)(`ftp://127.0.0.1:${port}/`)).rejects.toThrow(
      ForbiddenDestinationError,
    );
    expect(connections).toBe(0);
  });

  it('opens plain http outside of test accounts for the listed destinations, by private names', async () => {
    const { outboundAllow: allow } = loadConfig({ OUTBOUND_ALLOW: `127.0.0.0/8:${port}` });
    const local: Record<string, string> = {
      bff: '127.0.0.1',
      'bff.internal': '127.0.0.1',
      public: '93.184.215.14',
      'private.internal': '10.0.0.5',
    };
    const main = createOutbound({
      allow,
      resolve: (host, callback) =>
        local[host] === undefined
          ? resolve(host, callback)
          : callback(null, [{ address: local[host], family: 4 }]),
    });
    for (const host of ['127.0.0.1', 'localhost', 'bff', 'bff.internal'])
      expect((await main(`http://${host}:${port}/`)).status).toBe(200);
    connections = 0;
    for (const host of ['loopback.example', '93.184.215.14', 'public', 'private.internal'])
      await expect(main(`http://${host}:${port}/`)).rejects.toThrow(ForbiddenDestinationError);
    await expect(main(`http://127.0.0.1:${port + 1}/`)).rejects.toThrow(ForbiddenDestinationError);
    expect(connections).toBe(0);
  });
});
