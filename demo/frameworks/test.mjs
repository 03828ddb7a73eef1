// `npm run test:frameworks`: installs and builds the examples that bring a framework with a build
// of its own (Angular, Next.js), and buys something in each, in Chromium, against a running stack.
// Needs a build (`npm run build`).
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here('../../');
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NG_CLI_ANALYTICS: 'false' };

/** Runs a command of an example; a failure ends with its output. */
function run(name, command, ...options) {
  const { status, stdout, stderr } = spawnSync(command, options, {
    cwd: here(name),
    encoding: 'utf8',
    env,
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    throw new Error(`${name}: ${command} ${options.join(' ')} failed\n${stdout}${stderr}`);
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

async function until(what, ask, timeoutMs = 60_000) {
  for (const end = Date.now() + timeoutMs; ;) {
    const answer = await Promise.resolve()
      .then(ask)
      .catch(() => null);
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const children = [];
function start(options, settings, cwd = root) {
  const child = spawn(process.execPath, options, {
    cwd,
    env: { ...env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(child);
  return child;
}
const stop = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });

/** Buys in the example's shop, up to the paid order. */
async function buy(browser, name, { page: url, gateway, shop }) {
  const page = await browser.newPage({ colorScheme: 'light' });
  const errors = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on(
    'console',
    (message) =>
      /Content.Security.Policy|Trusted Type|hydrat/i.test(message.text()) &&
      errors.push(message.text()),
  );
  await page.goto(url);
  const button = page.getByRole('button', { name: 'Buy', exact: true });
  const checkout = page.locator('crypto-checkout');
  if (name === 'angular') await button.click();
  await checkout.locator('input[type=radio][value=BTC]').check({ force: true });
  await checkout.locator('[part~=submit]').first().click();
  const view = () => checkout.evaluate((element) => element.checkout);
  const { payment, order } = await until(`${name}: a payment`, async () => {
    const now = await view();
    return now?.payment && now;
  });
  const sandbox = async (action, body) => {
    const answer = await fetch(`${gateway}/sandbox/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${name}: /sandbox/${action}: ${await answer.text()}`);
  };
  await sandbox('pay', { invoice_id: payment.invoice_id });
  await page.getByText('Payment detected.', { exact: true }).waitFor();
  await sandbox('mine', { kind: 'BTC', blocks: 1 });
  await page.getByText(`Thank you! We pack order ${order.order_id}.`).waitFor();
  await until(`${name}: the shop to know`, async () => {
    const { status } = await (await fetch(`${shop}/orders/${order.order_id}/status`)).json();
    return status === 'paid';
  });
  if (errors.length) throw new Error(`${name}: ${errors.join('\n')}`);
  console.log(`ok   ${name}: ${order.order_id} is paid`);
}

const dataDir = mkdtempSync(join(tmpdir(), 'frameworks-'));
let browser;
try {
  for (const name of ['angular', 'next']) {
    const mark = here(`${name}/node_modules/.package-lock.json`);
    if (
      !existsSync(mark) ||
      statSync(mark).mtimeMs < statSync(here(`${name}/package-lock.json`)).mtimeMs
    )
      run(name, 'npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
    run(name, 'npm', 'run', '-s', 'build');
  }
  rmSync(join(root, 'dist/frameworks/angular'), { recursive: true, force: true });
  cpSync(here('angular/dist'), join(root, 'dist/frameworks/angular'), { recursive: true });

  const [bffPort, gatewayPort, shopPort, nextPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const at = (port) => `http://localhost:${port}`;
  const [gateway, shop] = [`http://127.0.0.1:${gatewayPort}`, at(shopPort)];
  start([join(root, 'dist/server/start.mjs')], {
    PORT: String(bffPort),
    GATEWAY_PORT: String(gatewayPort),
    SHOP_PORT: String(shopPort),
    DATA_DIR: dataDir,
    SANDBOX_BLOCK_SECONDS: '0',
    EMBED_ORIGINS: `${shop},${at(nextPort)}`,
  });
  start(
    [here('next/node_modules/next/dist/bin/next'), 'start', '-p', String(nextPort)],
    { SHOP_URL: shop },
    here('next'),
  );
  await until('the shop', async () => (await fetch(`${shop}/livez`)).ok);
  await until('Next.js', async () => (await fetch(at(nextPort))).ok);

  const executablePath =
    process.env.CHROMIUM ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);
  browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  await buy(browser, 'angular', { page: `${shop}/frameworks/angular/`, gateway, shop });
  await buy(browser, 'next', { page: at(nextPort), gateway, shop });
  console.log(
    `2 passed, 0 failed (Angular ${versionOf('angular', '@angular/core')}, Next.js ${versionOf('next', 'next')})`,
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser?.close();
  await Promise.all(children.map(stop));
  rmSync(dataDir, { recursive: true, force: true });
}

function versionOf(example, name) {
  return JSON.parse(readFileSync(here(`${example}/node_modules/${name}/package.json`), 'utf8'))
    .version;
}
