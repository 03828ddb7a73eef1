import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { lockFolder } from '../packages/bff/src/host/folder-lock.ts';
import { hasTestWallet, headline, readServed, type Served } from './banner.ts';
import { lineForPeople } from './line.ts';
import { endWithParent } from './parent.ts';
import { PORTS, tryPorts } from './ports.ts';

/**
 * `npm start`: gateway, BFF with the hosted page, and the demo shop, each a
 * process that is restarted when it dies.
 */

// An empty variable counts as unset, as for the servers.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([, value]) => value?.trim() !== ''),
);
const parsed = PORTS.and(z.object({ DATA_DIR: z.string().default('.data') })).safeParse(
  environment,
);
if (!parsed.success) {
  console.error(
    parsed.error.issues
      .map(
        ({ path, message }) =>
          `${path.join('.')} ${message}, not "${process.env[String(path[0])]}".`,
      )
      .join('\n'),
  );
  process.exit(1);
}
const { DATA_DIR: folder, ...wanted } = parsed.data;
const { PORT, GATEWAY_PORT, SHOP_PORT, METRICS_PORT, GATEWAY_METRICS_PORT } = await tryPorts(
  wanted,
  environment['HOST'],
).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
const DATA_DIR = resolve(folder);
if (!(await lockFolder(DATA_DIR))) {
  console.error(`Another npm start uses ${DATA_DIR}: stop it, or set another DATA_DIR.`);
  process.exit(1);
}
const gatewayUrl = `http://127.0.0.1:${GATEWAY_PORT}`;
const publicUrl = environment['PUBLIC_URL'] ?? `http://localhost:${PORT}`;
const shopUrl = environment['SHOP_URL'] ?? `http://localhost:${SHOP_PORT}`;
/** With a shop of the user's own, the demo's contact would be wrong. */
const isOwnShop = ['MERCHANT_NAME', 'EMBED_ORIGINS', 'SHOP_WEBHOOK_URL'].some(
  (name) => environment[name] !== undefined,
);

const children = new Map<string, ChildProcess>();
let stopping = false;
let served: Served | null = null;

/** Starts a server and waits until it reports that it listens; restarts it when it dies later. */
const start = (name: string, env: Record<string, string>): Promise<void> =>
  new Promise((done, failed) => {
    const began = Date.now();
    const child = spawn(
      process.execPath,
      [
        '--enable-source-maps',
        '--max-http-header-size=65536',
        fileURLToPath(new URL(`./${name}.mjs`, import.meta.url)),
      ],
      {
        env: { ...process.env, DATA_DIR, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    children.set(name, child);
    let listening = false;
    createInterface({ input: child.stdout }).on('line', (line) => {
      served = readServed(line) ?? served;
      if (line.includes('"listening"')) {
        listening = true;
        done();
      }
      const said = environment['LOG'] === 'all' ? line : lineForPeople(name, line);
      if (said !== null) console.log(said);
    });
    child.on('error', failed);
    child.on('exit', (code, signal) => {
      if (stopping) return;
      // However long the check took.
      if (code === 1 && (!listening || Date.now() - began < 10_000)) {
        console.error(`${name} did not start.`);
        stop(1);
        return;
      }
      console.error(`${name} ended (${code ?? signal}); starting it again.`);
      setTimeout(() => {
        if (!stopping) start(name, env).catch(failed);
      }, 200);
    });
  });

const stop = (code: number): void => {
  if (stopping) return;
  stopping = true;
  const living = [...children.values()].filter(
    (child) => child.exitCode === null && child.signalCode === null,
  );
  let left = living.length;
  if (left === 0) process.exit(code);
  for (const child of living) {
    child.once('exit', () => {
      left -= 1;
      if (left === 0) process.exit(code);
    });
    child.kill('SIGTERM');
  }
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(0));
if (environment['npm_lifecycle_event'] === 'start') endWithParent(() => stop(0));

await start('gateway', {
  GATEWAY_PORT: String(GATEWAY_PORT),
  METRICS_PORT: String(GATEWAY_METRICS_PORT),
  GATEWAY_URL: gatewayUrl,
  PUBLIC_URL: publicUrl,
  SHOP_URL: shopUrl,
  CALLBACK_URL: environment['CALLBACK_URL'] ?? `http://127.0.0.1:${PORT}/callbacks`,
  // The BFF's settings, besides those of the environment.
  OUTBOUND_ALLOW: [`127.0.0.1/32:${PORT}`, environment['OUTBOUND_ALLOW'] ?? ''].join(' ').trim(),
});
/**
 * The secret between BFF and shop: from the environment, or created once in the gateway's data
 * folder.
 */
const webhookSecretFile = join(DATA_DIR, 'shop-webhook-secret');
if (!existsSync(webhookSecretFile))
  writeFileSync(webhookSecretFile, `whsec_${randomBytes(32).toString('base64')}`, { mode: 0o600 });
const webhookSecret =
  environment['SHOP_WEBHOOK_SECRET'] ?? readFileSync(webhookSecretFile, 'utf8').trim();

const credentials = z
  .object({
    order_secret: z.string(),
    shop_secret: z.string(),
    callback_token: z.string(),
    profile_id: z.string(),
  })
  .parse(JSON.parse(readFileSync(join(DATA_DIR, 'credentials.json'), 'utf8')));
await start('bff', {
  PORT: String(PORT),
  METRICS_PORT: String(METRICS_PORT),
  SERVICE_URL: gatewayUrl,
  PUBLIC_URL: publicUrl,
  EMBED_ORIGINS: [shopUrl, environment['EMBED_ORIGINS'] ?? ''].join(' ').trim(),
  SUCCESS_ORIGINS: [shopUrl, environment['SUCCESS_ORIGINS'] ?? ''].join(' ').trim(),
  SHOP_WEBHOOK_URL: environment['SHOP_WEBHOOK_URL'] ?? `http://127.0.0.1:${SHOP_PORT}/webhook`,
  SHOP_WEBHOOK_SECRET: webhookSecret,
  MERCHANT_NAME: environment['MERCHANT_NAME'] ?? 'Quay & Co.',
  SUPPORT_URL: environment['SUPPORT_URL'] ?? (isOwnShop ? '' : 'mailto:help@quay.example'),
});
await start('shop', {
  SHOP_PORT: String(SHOP_PORT),
  SHOP_URL: shopUrl,
  PUBLIC_URL: publicUrl,
  GATEWAY_URL: gatewayUrl,
  ORDER_SECRET: credentials.order_secret,
  SHOP_WEBHOOK_SECRET: webhookSecret,
  TEST_WALLET: String(hasTestWallet(served)),
});

/** Another terminal does not have the variables that were set in this one. */
const elsewhere = environment['DATA_DIR'] === undefined ? '' : `DATA_DIR=${folder} `;
const PLACES: [what: string, where: string, why: string][] = [
  [
    'Demo shop',
    `${shopUrl}/`,
    `buy something, pay with ${hasTestWallet(served) ? 'the test' : 'a'} wallet`,
  ],
  ['Scenarios', `${shopUrl}/scenarios/`, 'every stage and fault, to style them'],
  [
    'Your shop',
    `${publicUrl}/crypto-checkout.js`,
    `the script for its pages; server="${publicUrl}"`,
  ],
  ['Secrets', join(folder, 'credentials.json'), 'order_secret signs the orders of your shop'],
  ['Service', `${gatewayUrl}/reference/`, 'its interface, to read'],
  ['Dashboard', `${elsewhere}npm run gateway -- login`, 'a link into it, from another terminal'],
];
for (const [server, port] of [
  ['BFF', METRICS_PORT],
  ['gateway', GATEWAY_METRICS_PORT],
] as const)
  if (port !== 0)
    PLACES.push([
      'Figures',
      `http://127.0.0.1:${port}/metrics`,
      `of the ${server}, for Prometheus`,
    ]);
const widest = Math.max(...PLACES.map(([, where]) => where.length));

console.log(`
  ${headline(served)}

${PLACES.map(([what, where, why]) => `    ${what.padEnd(11)}${where.padEnd(widest)}  ${why}`).join('\n')}

  Stop with Ctrl-C.
`);
