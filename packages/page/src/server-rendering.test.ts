import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { checkout } from '../../elements/test/support/fixture.ts';
import { styleHash } from './headers.ts';
import { readPage } from '../test/support/parsed-page.ts';
import { files } from '../test/support/views.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const guide = readFileSync(`${root}docs/shop/server-rendering.md`, 'utf8');
const example = /```ts\n(\/\/ shop\.ts.*?)```/s.exec(guide)?.[1] ?? '';

const folder = mkdtempSync(join(root, 'node_modules', '.page-readme-'));
let checkouts: Server;
let shop: ChildProcess;
afterEach(() => {
  shop?.kill();
  checkouts?.close();
  rmSync(folder, { recursive: true });
});

it('the server in docs/shop/server-rendering.md renders the checkout, and its policy allows it', async () => {
  const asked: { authorization: string | undefined; body: string }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const piece of request) body += String(piece);
    asked.push({ authorization: request.headers.authorization, body });
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(JSON.stringify(checkout('pay')));
  };
  checkouts = createServer((request, response) => void answer(request, response)).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => checkouts.once('listening', resolve));
  const server = `http://127.0.0.1:${(checkouts.address() as AddressInfo).port}`;
  writeFileSync(
    join(folder, 'shop.mts'),
    example.replace(
      '.listen(',
      '.on("listening", function () { console.log(this.address().port) }).listen(',
    ),
  );
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(files([])));
  shop = spawn(
    process.execPath,
    ['--conditions=source', '--import', 'tsx', join(folder, 'shop.mts')],
    {
      cwd: root,
      env: {
        ...process.env,
        CHECKOUT_SERVER: server,
        MANIFEST: join(folder, 'manifest.json'),
        SHOP_SECRET: 'secret',
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const port = await new Promise<string>((resolve) =>
    shop.stdout?.on('data', (text) => resolve(String(text).trim())),
  );

  const shown = await fetch(`http://127.0.0.1:${port}/`, {
    headers: { 'accept-language': 'de-DE,de;q=0.9' },
  });
  const html = await shown.text();
  const policy = shown.headers.get('content-security-policy') ?? '';
  expect(asked).toEqual([
    {
      authorization: 'Bearer secret',
      body: '{"order":{"order_id":"A-1042","amount":"49.90","currency":"USD"}}',
    },
  ]);
  expect(html).toContain('<html lang="de-DE" dir="ltr">');
  expect(html).toContain('Sende genau');
  expect(html).toContain(
    `<script type="module" crossorigin src="${server}/elements/0.1.0/crypto-checkout-ssr.mjs" integrity="sha384-`,
  );
  for (const [, css = ''] of html.matchAll(/<style>([^<]*)<\/style>/g))
    expect(policy).toContain(await styleHash(css));
  for (const directive of [
    `script-src ${server}`,
    `connect-src ${server}`,
    'trusted-types lit-html',
  ])
    expect(policy).toContain(directive);
  expect(JSON.parse(readPage(html, { scripting: true }).snapshot ?? '')).toEqual(checkout('pay'));
}, 60_000);
