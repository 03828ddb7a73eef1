import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRpcProxy } from '../../../chains/test/support/rpc-proxy.ts';
import { freePort } from '../../../chains/test/support/free-port.ts';
import { startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { databaseDigest } from '../../test/support/database-digest.ts';
import { emptyDatabase } from '../../test/support/database.ts';
import { words } from '../../test/support/ethereum.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';
import { testSmtp } from '../../test/support/smtp.ts';
import { loadConfig } from '../config.ts';
import type { RateSource } from '../rate/source.ts';
import type { Finding } from './finding.ts';
import { runCheck } from './run.ts';

let shop: TestShop;
let anvil: Anvil;
let dataDir: string;
let closedPort: number;
let receiverUrl: string;
let silent: RateSource;
let closeReceiver: () => Promise<void>;
let closeMail: () => Promise<void>;
/** The settings of a service that is ready, except for what one machine cannot have. */
const seconds = (): number => Math.floor(Date.now() / 1000);
let settings: Record<string, string>;
/** Requests that reached the receiver of callbacks. */
const received: string[] = [];

beforeAll(async () => {
  shop = await testShop({ chains: ['ethereum'] });
  anvil = await startAnvil('--chain-id', '1', '--timestamp', String(seconds() - 3_600));
  closedPort = await freePort();
  silent = source('Nowhere', `http://127.0.0.1:${closedPort}/`);
  const receiver = createServer((request, response) => {
    received.push(request.method ?? '');
    response.writeHead(request.method === 'GET' ? 200 : 405).end('{}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  closeReceiver = () => new Promise((resolve) => void receiver.close(() => resolve()));
  const { port } = receiver.address() as AddressInfo;
  receiverUrl = `http://127.0.0.1:${port}/`;
  const mail = await testSmtp({ hideSTARTTLS: true });
  closeMail = () => mail.close();
  await shop.context.db
    .updateTable('profile')
    .set({ callback_url: `http://127.0.0.1:${port}/callbacks` })
    .execute();
  dataDir = mkdtempSync(join(tmpdir(), 'check-'));
  settings = {
    DATA_DIR: dataDir,
    DATABASE_URL: shop.context.database.url,
    PUBLIC_URL: 'https://pay.example',
    GATEWAY_URL: 'https://gateway.example',
    KEYS_PASSPHRASE_FILE: join(dataDir, 'passphrase'),
    RATES: 'live',
    SANDBOX: 'false',
    HOT_LIMIT: '1000',
    ETH_RPC_URL: `${anvil.url},${anvil.url}`,
    ETH_TOKENS: '{}',
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    OUTBOUND_ALLOW: `127.0.0.1/32:${port}`,
  };
}, 60_000);
afterAll(async () => {
  await closeReceiver?.();
  await closeMail?.();
  await anvil?.stop();
  await shop?.close();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  await anvil.wallet.setNextBlockTimestamp({ timestamp: BigInt(seconds()) });
  await anvil.wallet.mine({ blocks: 1 });
  const write = (name: string, text: string): void => {
    writeFileSync(join(dataDir, name), text);
    chmodSync(join(dataDir, name), 0o600);
  };
  write('keys.json', JSON.stringify({ mnemonic: words }));
  write('secrets.key', '00'.repeat(32));
  write('passphrase', 'a passphrase for tests');
});

const source = (name: string, url: string): RateSource => ({
  name,
  urls: [url],
  symbols: [],
  read: () => [],
});

const check = (more: Record<string, string> = {}): Promise<Finding[]> =>
  runCheck(loadConfig({ ...settings, ...more }), {
    sources: [source('Node', receiverUrl), silent],
  });
const only = (findings: Finding[], ...results: Finding['result'][]): string[] =>
  findings
    .filter(({ result }) => results.includes(result))
    .map(({ about, says }) => `${about}: ${says}`);

describe('the look before a main network', () => {
  it('finds no fault in a service that is ready, and names what no program can see', async () => {
    const findings = await check();
    expect(only(findings, 'fault')).toEqual([]);
    expect(only(findings, 'ok')).toEqual(
      expect.arrayContaining([
        'settings: They fit a main network.',
        `secrets.key: Only its owner may read ${join(dataDir, 'secrets.key')}.`,
        'DATABASE_URL: It answers, with the tables of this version.',
        "clock: It agrees with the database's.",
        'rates: Node answers.',
        'SMTP_URL: The mail server answers.',
        expect.stringMatching(/^ETH_RPC_URL: provider 1 of Ethereum.*: chain id 1, block \d+\.$/),
        expect.stringMatching(/^ETH_RPC_URL: provider 2 of Ethereum/),
        expect.stringMatching(/^profile ".*": http:\/\/127\.0\.0\.1:\d+ answers\.$/),
      ]),
    );
    expect(only(findings, 'manual')).toContain(
      'backups: Back up database, DATA_DIR and settings, and try one restore.',
    );
  });

  it('changes nothing: neither a row nor a file, and posts nothing', async () => {
    const digest = await databaseDigest(shop.context.db);
    const files = () =>
      readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mtimeMs]);
    const before = [await digest(), files()];
    received.length = 0;
    await check();
    expect([await digest(), files()]).toEqual(before);
    expect(received.toSorted()).toEqual(['GET', 'HEAD']);
    const empty = await emptyDatabase();
    await check({ DATABASE_URL: empty.url });
    const tables = await empty.db.introspection.getTables();
    await empty.close();
    expect(tables).toEqual([]);
  });

  it('warns of a public address that only this machine reaches, also when it is not set', async () => {
    const warned = async (more: Record<string, string>): Promise<string[]> =>
      only(await check(more), 'warning').filter((line) => /^(?:PUBLIC_URL|LNURL)/.test(line));
    const says = (url: string): string =>
      `PUBLIC_URL: It is ${url}, which only this machine reaches: set the public address of the pages, which LNURLs and notices carry.`;
    expect(await warned({ PUBLIC_URL: '' })).toEqual([says('http://localhost:8080')]);
    expect(await warned({ PUBLIC_URL: 'https://127.0.0.1:8443' })).toEqual([
      says('https://127.0.0.1:8443'),
    ]);
    expect(await warned({})).toEqual([]);
  });

  it('names each fault with its remedy', async () => {
    chmodSync(join(dataDir, 'secrets.key'), 0o644);
    rmSync(join(dataDir, 'keys.json'));
    const findings = await check({
      RATES: 'fixed',
      PUBLIC_URL: 'http://pay.example',
      ETH_RPC_URL: `http://127.0.0.1:${closedPort}`,
      SMTP_URL: 'smtp://127.0.0.1:1',
      OUTBOUND_ALLOW: '',
    });
    expect(only(findings, 'fault')).toEqual(
      expect.arrayContaining([
        'RATES: RATES must be live on a main network.',
        'PUBLIC_URL: PUBLIC_URL must be https on a main network, not "http://pay.example"; http is for this machine alone.',
        `secrets.key: The file ${join(dataDir, 'secrets.key')} must be readable by its owner only: run chmod 600 ${join(dataDir, 'secrets.key')}.`,
        `keys.json: ${join(dataDir, 'keys.json')} is missing, and the database was used with it: restore it from a backup.`,
        'ETH_RPC_URL: 0 of 1 providers can be used: ETH_RPC_URL: the node does not respond (ECONNREFUSED)',
        expect.stringMatching(/^SMTP_URL: The mail server cannot be used: .*ECONNREFUSED/),
        expect.stringMatching(/^profile ".*": http:\/\/127\.0\.0\.1:\d+ is refused/),
      ]),
    );
    expect(only(findings, 'warning')).toEqual(
      expect.arrayContaining([
        'ETH_RPC_URL: It names one provider, so nothing checks its blocks: add a second one.',
        `rates: Nowhere: 127.0.0.1:${closedPort}: fetch failed (ECONNREFUSED); let the firewall pass it.`,
      ]),
    );
  });

  it.each([
    [
      'is silent',
      () => {
        throw new Error('The proxy is closed');
      },
    ],
    ['refuses', () => ({ error: { code: -32_005, message: 'limit exceeded' } })],
  ])('goes on when a provider %s after its first answers', async (_, fail) => {
    const proxy = await startRpcProxy(anvil.url);
    let looks = 0;
    proxy.change(({ params }, answer) => {
      if (params[0] === 'latest') looks += 1;
      return looks > 1 ? fail() : answer;
    });
    const findings = await check({ ETH_RPC_URL: `${anvil.url},${proxy.url}` });
    await proxy.stop();
    expect(looks).toBeGreaterThan(1);
    expect(only(findings, 'fault')).toEqual([
      expect.stringMatching(
        /^ETH_RPC_URL: provider 2 of Ethereum.*: ETH_RPC_URL: the node does not respond/,
      ),
    ]);
    expect(only(findings, 'ok')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^ETH_RPC_URL: provider 1 of Ethereum/),
        'SMTP_URL: The mail server answers.',
      ]),
    );
  });

  it.each(['chain_cursor', 'profile'])('goes on when the table %s cannot be read', async (name) => {
    const { db } = shop.context;
    await sql`alter table ${sql.table(name)} rename to hidden`.execute(db);
    try {
      const findings = await check();
      expect(only(findings, 'fault')).toContain(
        `DATABASE_URL: It cannot be read: relation "${name}" does not exist. Mend the database, and check again.`,
      );
      expect(only(findings, 'ok')).toContain('SMTP_URL: The mail server answers.');
    } finally {
      await sql`alter table hidden rename to ${sql.table(name)}`.execute(db);
    }
  });

  it('names a database that cannot be reached, and nodes of different networks', async () => {
    const base = await startAnvil('--chain-id', '84532');
    const findings = await check({
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      BASE_RPC_URL: base.url,
    });
    await base.stop();
    expect(only(findings, 'fault')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^DATABASE_URL: It cannot be used: .*ECONNREFUSED/),
        'nodes: All nodes must be on main networks, or all on test networks: ETH_RPC_URL is on a main network, BASE_RPC_URL is on a test network.',
      ]),
    );
    expect(only(findings, 'warning')).toContain('BASE_RPC_URL: Its node is on a test network.');
  });
});
