import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist', 'packages');
const NAMES = ['bff', 'chains', 'client', 'elements', 'gateway', 'page', 'protocol'];
const tarballOf = (name: string): string => join(out, `crypto-checkout-${name}-0.1.0.tgz`);

/** Runs a command and returns its output and exit code. */
function run(
  command: string,
  args: readonly string[],
  cwd = root,
): { code: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  return { code: status, text: stdout + stderr };
}

/**
 * A shop's server: a Hono app with the installed BFF under a path. It opens a checkout, chooses a
 * coin and reads the page.
 */
const SHOP = `
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { createBff, createMemoryStore } from '@crypto-checkout/bff';
import { nodeAbilities } from '@crypto-checkout/bff/host/abilities';
import { readElements } from '@crypto-checkout/bff/host/elements';
import { Hono } from 'hono';

const own = JSON.parse(readFileSync(join(process.env.DATA_DIR, 'credentials.json'), 'utf8'));
const browser = dirname(fileURLToPath(import.meta.resolve('@crypto-checkout/page/browser/manifest.json')));
const bff = createBff({
  serviceUrl: own.gateway_url,
  apiKey: own.api_key,
  apiSecret: own.api_secret,
  nonceWindow: true,
  callbackToken: own.callback_token,
  profileId: own.profile_id,
  orderSecret: own.order_secret,
  shopSecret: own.shop_secret,
  publicUrl: 'http://localhost/pay',
  store: createMemoryStore(),
  elements: readElements(browser),
  host: nodeAbilities,
});
const app = new Hono().get('/', (c) => c.text('the shop'));
app.mount('/pay', bff.fetch);
await bff.start();
const post = (path, body, headers = {}) =>
  app.request('http://localhost' + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
const order = { order_id: 'A-1', amount: '18.50', currency: 'USD' };
const opened = await post('/pay/checkouts', { order }, { authorization: 'Bearer ' + own.shop_secret });
const { id } = await opened.json();
const chosen = await (await post('/pay/checkouts/' + id + '/payment', { kind: 'BTC' })).json();
const page = await app.request('http://localhost/pay/pay/' + id + '/');
const html = await page.text();
const script = /src="([^"]+page-[^"]+\\.mjs)"/.exec(html)?.[1] ?? '';
const file = await app.request(new URL(script, 'http://localhost/pay/pay/').href);
console.log(JSON.stringify({
  shop: await (await app.request('http://localhost/')).text(),
  opened: opened.status,
  address: chosen.payment.address,
  page: [page.status, html.includes(chosen.payment.address)],
  script: [script, file.status],
}));
await bff.close();
process.exit(0);
`;

/** Starts the installed gateway on sandbox chains and resolves once it listens. */
async function startGateway(project: string, dataDir: string): Promise<() => Promise<void>> {
  const main = join(project, 'node_modules', '@crypto-checkout', 'gateway', 'dist', 'main.js');
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'info',
    RATE_LIMIT_RPS: '100',
  };
  const child = spawn(process.execPath, [main], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  try {
    const state = (): string =>
      child.exitCode === null ? output : `exit ${child.exitCode}: ${output}`;
    await expect.poll(state, { timeout: 60_000 }).toMatch(/"msg":"listening"|^exit /);
    expect(child.exitCode, output).toBeNull();
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

describe('packages of npm run pack', () => {
  let project = '';

  beforeAll(() => {
    execFileSync(process.execPath, [join(root, 'tools', 'pack.mjs')], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    project = mkdtempSync(join(tmpdir(), 'packed-'));
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ name: 'shop', private: true, type: 'module' }),
    );
    const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...flags, ...NAMES.map(tarballOf)], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }, 600_000);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('are all that a user imports or runs', () => {
    expect(readdirSync(out).toSorted()).toEqual(
      NAMES.map((name) => `crypto-checkout-${name}-0.1.0.tgz`),
    );
  });

  describe.each(NAMES)('%s', (name) => {
    const folder = (): string => join(project, 'node_modules', '@crypto-checkout', name);

    it('has no complaint of publint', () => {
      expect(
        run(process.execPath, [
          join(root, 'node_modules/publint/src/cli.js'),
          'run',
          tarballOf(name),
          '--strict',
        ]).text,
      ).toContain('All good!');
    });

    it('has types that resolve as ES modules', () => {
      const args = [
        join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'),
        tarballOf(name),
        '--profile',
        'esm-only',
        '-f',
        'json',
      ];
      expect(run(process.execPath, args)).toMatchObject({ code: 0 });
    });

    it('carries its licence, and no source condition', () => {
      expect(readFileSync(join(folder(), 'LICENSE'), 'utf8')).toContain('MIT');
      const text = readFileSync(join(folder(), 'package.json'), 'utf8');
      expect(text).not.toContain('"source"');
      expect(JSON.parse(text)).toMatchObject({
        license: 'MIT',
        engines: { node: expect.any(String) },
        repository: { type: 'git' },
      });
    });
  });

  it('mount the BFF in a shop, beside a gateway, and open a checkout', async () => {
    const dataDir = join(project, '.data');
    const stop = await startGateway(project, dataDir);
    try {
      writeFileSync(join(project, 'shop.mjs'), SHOP);
      const { status, stdout, stderr } = spawnSync(process.execPath, ['shop.mjs'], {
        cwd: project,
        encoding: 'utf8',
        env: { ...process.env, DATA_DIR: dataDir },
      });
      expect(status, stderr).toBe(0);
      expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toEqual({
        shop: 'the shop',
        opened: 201,
        address: expect.stringMatching(/^tb1/),
        page: [200, true],
        script: [expect.stringMatching(/page-/), 200],
      });
    } finally {
      await stop();
    }
  }, 180_000);
});
