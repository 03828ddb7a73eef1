import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from 'svelte/compiler';
import { signWebhook } from '@crypto-checkout/protocol/callback';
import { verifyOrderToken } from '@crypto-checkout/protocol/order-token';
import { hmacWebCrypto } from '@crypto-checkout/protocol/signature-web';
import { afterAll, describe, expect, it } from 'vitest';
import { compileScript, parse } from 'vue/compiler-sfc';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');
const guides = readdirSync(`${root}docs/shop`).map((file) => `docs/shop/${file}`);
const text = ['README.md', 'packages/elements/README.md', ...guides].map(read).join('\n');
const reference = read('docs/elements.md');
const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code]) =>
    name === language && code ? [code] : [],
  );
const blocks = (language: string): string[] => blocksOf(text, language);
/** Inside the repository, so that the packages resolve; ignored by git. */
const folder = `${root}packages/elements/dist/readme`;

const checked = (project: string): { stdout: string; status: number | null } => {
  const { stdout, status } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', project],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return { stdout, status };
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the blocks for React and Next.js hold by their types', () => {
  mkdirSync(folder, { recursive: true });
  const files = blocks('tsx').map((code, at) => {
    writeFileSync(`${folder}/block${at}.tsx`, `/** @jsxImportSource react */\n${code}`);
    return `block${at}.tsx`;
  });
  expect(files).toHaveLength(2);
  const options = {
    extends: '../../types/test/tsconfig.json',
    include: [...files, '../../types/react.d.ts', '../../../protocol/src/*.d.ts'],
    // Built files would be excluded by default, and nothing would be checked.
    exclude: [],
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(options));
  expect(checked(folder)).toEqual({ stdout: '', status: 0 });
}, 60_000);

it('the blocks for Vue and Svelte compile', () => {
  expect([blocks('vue').length, blocks('svelte').length]).toEqual([1, 1]);
  for (const code of blocks('vue')) {
    const { descriptor, errors } = parse(code);
    expect(errors).toEqual([]);
    expect(compileScript(descriptor, { id: 'readme', inlineTemplate: true }).content).toContain(
      'onCheckoutPaid',
    );
  }
  for (const code of blocks('svelte')) {
    const { js, warnings } = compile(code, {});
    expect(js.code).toContain("'checkout-paid'");
    expect(warnings).toEqual([]);
  }
});

it('every attribute, event, custom property and part that is named exists', () => {
  const known = (name: string): void => expect(reference, name).toContain(name);
  const code = ['html', 'css', 'js', 'ts', 'tsx', 'vue', 'svelte'].flatMap(blocks).join('\n');
  for (const [name] of code.matchAll(/--crypto-checkout-[\w-]+/g)) known(`\`${name}\``);
  for (const [, name] of code.matchAll(/::part\(([\w-]+)\)/g)) known(`\`::part(${name})\``);
  for (const [name] of text.matchAll(/\bcheckout-(?:ready|change|paid|error|close)\b/g))
    known(`\`${name}\``);
  for (const [, attributes = ''] of blocks('html')
    .join('\n')
    .matchAll(/<crypto-[\w-]+ ([^>]*)>/g))
    for (const [, name] of attributes.matchAll(/([\w-]+)=/g)) known(`\`${name}\``);
  for (const [, demo] of text.matchAll(/demo="([\w-]+)/g)) known(`| \`${demo}\``);
});

/** Values that a snippet takes from its surroundings, by page. */
const GIVEN: Record<string, string> = {
  'docs/shop/webhooks.md': `declare const request: Request;
interface Transaction {
  storeEvent(id: string): Promise<boolean>;
  markShipped(order: string | null): Promise<boolean>;
  queueShipment(order: string | null): Promise<void>;
}
declare const database: { transaction(work: (trx: Transaction) => Promise<void>): Promise<void> };`,
  'docs/shop/client.md': `declare const request: Request, headers: Headers, body: string, key: string, secret: string, callbackToken: string;
declare const profile_id: string, transactionId: string, address: string, from_wallet: string, to_wallet: string;
declare const fulfil: (order: string | null, id: string) => void;
declare const jws: string, PUBLIC_KEY: string;`,
  'docs/run/payouts.md': 'declare const key: string, secret: string, profile_id: string;',
  'docs/shop/payment-states.md': `import type { ShopEvent } from '@crypto-checkout/client';
declare const key: string, secret: string, profile_id: string, address: string;
declare const event: Required<ShopEvent>;`,
  'docs/shop/refunds.md': `import type { ShopEvent } from '@crypto-checkout/client';
declare const key: string, secret: string, transactionId: string, server: string, checkoutId: string;
declare const event: ShopEvent;`,
  'packages/client/README.md': 'declare const key: string, secret: string, profile_id: string;',
  'packages/protocol/README.md':
    'declare const key: string, secret: string, profile_id: string, nonce: string;',
  'docs/run/mount.md': `import type { ShopEvent } from '@crypto-checkout/bff';
declare const apiKey: string, apiSecret: string, callbackToken: string, profileId: string, orderSecret: string, shopSecret: string;
declare const orders: { apply(event: ShopEvent): Promise<void> };`,
  'packages/bff/README.md': `import type { Hono } from 'hono';
declare const serviceUrl: string, apiKey: string, apiSecret: string, callbackToken: string, profileId: string;
declare const orderSecret: string, shopSecret: string, scripts: string, app: Hono;`,
};
const CLIENT =
  "import { type Client, ServiceError, createClient, verifyCallback, verifyReceipt, verifyWebhook } from '@crypto-checkout/client';";
/** For blocks that continue the one before them. */
const CONTINUED = `${CLIENT}\ndeclare const client: Client, approver: Client, integrator: Client;`;

it('the blocks for servers hold by their types, in strict TypeScript', () => {
  const place = `${root}demo/dist/snippets`;
  mkdirSync(place, { recursive: true });
  const names = Object.entries(GIVEN).flatMap(([page, given]) => {
    const found = [
      ...blocksOf(read(page), 'ts'),
      ...(page.endsWith('webhooks.md') ? blocksOf(read(page), 'js') : []),
    ];
    expect(found.length, page).toBeGreaterThan(0);
    return found.map((code, at) => {
      const name = `${page.replaceAll(/\W/g, '-')}-${at}.ts`;
      writeFileSync(
        `${place}/${name}`,
        `${code.includes('import ') ? '' : CONTINUED}\n${given}\n${code}\nexport {};\n`,
      );
      return name;
    });
  });
  expect(names).toHaveLength(16);
  writeFileSync(
    `${place}/tsconfig.json`,
    JSON.stringify({
      extends: '../../../tsconfig.base.json',
      compilerOptions: {
        types: ['node'],
        lib: ['ES2024', 'DOM'],
        noEmit: true,
        noPropertyAccessFromIndexSignature: false,
        noUnusedLocals: false,
      },
      include: [...names, '../../../packages/protocol/src/*.d.ts'],
      exclude: [],
    }),
  );
  const result = checked(place);
  rmSync(place, { recursive: true, force: true });
  expect(result).toEqual({ stdout: '', status: 0 });
}, 60_000);

const SECRET = 'order-secret-for-tests-0123456789';
const WEBHOOK_SECRET = `whsec_${Buffer.from('webhook-secret-for-tests-01234567').toString('base64')}`;
const CLAIMS = { order_id: 'A-1001', amount: '18.50', currency: 'USD', description: 'Harbour mug' };
const python = (code: string): { status: number | null; stdout: string; stderr: string } =>
  spawnSync('python3', ['-c', code], {
    encoding: 'utf8',
    env: { ...process.env, ORDER_SECRET: SECRET, SHOP_WEBHOOK_SECRET: WEBHOOK_SECRET },
  });
const hasPython = spawnSync('python3', ['--version']).status === 0;
const verified = async (token: string): Promise<object> =>
  (await verifyOrderToken(token, SECRET, { now: Date.now(), hmac: hmacWebCrypto })).claims;

describe('the order tokens of docs/shop/orders.md', () => {
  const page = read('docs/shop/orders.md');

  it('are valid in Node', async () => {
    const code = blocksOf(page, 'js').find((block) => block.includes('createHmac'))!;
    const env = { ...process.env, ORDER_SECRET: SECRET };
    const { stdout } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', `${code}\nconsole.log(order);`],
      {
        encoding: 'utf8',
        env,
      },
    );
    expect(await verified(stdout.trim())).toMatchObject(CLAIMS);
  });

  it.runIf(hasPython)('are valid in Python', async () => {
    const { stdout } = python(`${blocksOf(page, 'python')[0]}\nprint(order)`);
    expect(await verified(stdout.trim())).toMatchObject(CLAIMS);
  });
});

it('the schema of docs/shop/webhooks.md reads an event, and names a wrong member', () => {
  const code = blocksOf(read('docs/shop/webhooks.md'), 'js').find((one) => one.includes('parse('))!;
  const receive = (order_id: unknown) => {
    const event = {
      event: 'checkout.of_a_later_version',
      checkout_id: 'c1',
      order_id,
      amount: '18.50',
      currency: 'USD',
      network: 'mainnet',
      stage: 'paid',
      notes: [],
      invoice_id: 'i1',
      kind: 'BTC',
      paid: '18.50',
      later: 'a member of a later version',
    };
    const given = `const request = new Response(${JSON.stringify(JSON.stringify(event))});`;
    const script = `${given}\n${code}\nconsole.log(event, order_id);`;
    const flags = ['--conditions=source', '--import=tsx', '--input-type=module', '-e', script];
    return spawnSync(process.execPath, flags, { cwd: root, encoding: 'utf8' });
  };
  expect(receive('A-1001')).toMatchObject({ stdout: 'checkout.of_a_later_version A-1001\n' });
  expect(receive(1001).stderr).toContain('"order_id"');
});

describe('the Python receiver of docs/shop/webhooks.md', () => {
  const [code] = blocksOf(read('docs/shop/webhooks.md'), 'python');
  const receive = async (signed: string, received: string): Promise<ReturnType<typeof python>> => {
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = await signWebhook(
      { id: 'c1.paid', timestamp, body: signed, secret: WEBHOOK_SECRET },
      hmacWebCrypto,
    );
    return python(
      `${code}\nprint(verify_webhook(${JSON.stringify(headers)}, ${JSON.stringify(received)}.encode())["event"])`,
    );
  };

  it.runIf(hasPython)('accepts a signed event', async () => {
    const body = '{"event":"checkout.paid"}';
    expect(await receive(body, body)).toMatchObject({ status: 0, stdout: 'checkout.paid\n' });
  });

  it.runIf(hasPython)('rejects a changed event', async () => {
    const { status, stderr } = await receive(
      '{"event":"checkout.seen"}',
      '{"event":"checkout.paid"}',
    );
    expect([status, stderr]).toEqual([1, expect.stringContaining('The signature does not match.')]);
  });
});
