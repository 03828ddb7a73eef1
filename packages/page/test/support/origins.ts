import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { type Browser, type Page, chromium } from 'playwright-core';
import { type Rolldown, createBuilder } from 'vite';
import { checkout } from '../../../elements/test/support/fixture.ts';
import { type ElementFiles, createPage, type renderCheckout } from '../../src/index.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const VERSION = '0.1.0';

/** The browser files as the build makes them, in memory. */
export async function buildScripts(environments: readonly string[]): Promise<Map<string, string>> {
  // A test's own NODE_ENV would select the libraries' development files.
  Object.assign(process.env, { NODE_ENV: 'production' });
  const builder = await createBuilder({
    root,
    configFile: `${root}vite.config.ts`,
    logLevel: 'error',
  });
  const files = new Map<string, string>();
  for (const name of environments) {
    const environment = builder.environments[name]!;
    environment.config.build.write = false;
    const { output } = (await builder.build(environment)) as Rolldown.RolldownOutput;
    for (const file of output) if (file.type === 'chunk') files.set(file.fileName, file.code);
  }
  return files;
}

/**
 * Renders with the built page package: its templates and those of the scripts must be identical. In
 * a separate process, because this one has elements of the same names.
 */
export async function buildRender(): Promise<typeof renderCheckout> {
  const builder = await createBuilder({
    root,
    configFile: `${root}vite.config.ts`,
    logLevel: 'error',
  });
  const server = builder.environments['server']!;
  const outDir = `${root}node_modules/.vite-page-test-server`;
  const { input } = server.config.build.rolldownOptions;
  server.config.build.rolldownOptions.input = { page: (input as Record<string, string>)['page']! };
  Object.assign(server.config.build, { outDir, emptyOutDir: true });
  await builder.build(server);
  const code = `import { readFileSync } from 'node:fs';
    import { renderCheckout } from ${JSON.stringify(pathToFileURL(`${outDir}/page.mjs`).href)};
    console.log(JSON.stringify(renderCheckout(JSON.parse(readFileSync(0, 'utf8')))));`;
  return (options) =>
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', code], {
        input: JSON.stringify(options),
        encoding: 'utf8',
      }),
    ) as ReturnType<typeof renderCheckout>;
}

/** The answer of an origin to a path; null for an unknown one. */
type Answer = { status?: number; headers?: Record<string, string>; body: string } | null;

/** A server of one origin, controlled by a test. */
export class Origin {
  readonly #server: Server;
  readonly asked: {
    method: string;
    path: string;
    body: string;
    headers: IncomingMessage['headers'];
  }[] = [];
  #answer: (request: { method: string; url: URL; body: string }) => Answer | Promise<Answer> = () =>
    null;

  constructor() {
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(
    answer: (request: { method: string; url: URL; body: string }) => Answer | Promise<Answer>,
  ): Promise<this> {
    this.#answer = answer;
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of request) body += String(piece);
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '', this.url);
    this.asked.push({ method, path: request.url ?? '', body, headers: request.headers });
    const answer = await this.#answer({ method, url, body });
    const { status = 200, headers = {}, body: text } = answer ?? { status: 404, body: '' };
    response
      .writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
      .end(text);
  }
}

/**
 * A checkout server with built scripts and hosted pages, and a shop on another origin with pages of
 * the test.
 */
export class World {
  readonly pay = new Origin();
  readonly shop = new Origin();
  readonly files: Map<string, string>;
  /** The state of each checkout, by id. */
  readonly checkouts = new Map<string, Checkout>();
  /** The checkout that an order's token opens; without one it is refused. */
  readonly orders = new Map<string, string>();
  /** Answers that take precedence over the checkout server's. */
  override: (path: string, method: string) => Answer | Promise<Answer> | undefined = () =>
    undefined;
  /** The shop's pages. */
  readonly pages = new Map<string, { html: string; headers?: Record<string, string> }>();
  readonly manifest: ElementFiles;
  browser!: Browser;

  constructor(files: Map<string, string>) {
    this.files = files;
    const page = [...files.keys()].find((name) => /^page-[\w-]+\.mjs$/.test(name)) ?? '';
    this.manifest = {
      version: VERSION,
      embed: 'crypto-checkout.mjs',
      classic: 'crypto-checkout.js',
      page,
      locales: {},
      sri: {},
      sizes: {},
    };
  }

  async start(): Promise<this> {
    const page = createPage({ files: this.manifest });
    await this.shop.start(({ url }) => {
      const found = this.pages.get(url.pathname);
      return found ? { headers: found.headers ?? {}, body: found.html } : null;
    });
    await this.pay.start(
      ({ method, url, body }) =>
        this.override(url.pathname, method) ?? this.#answer(method, url, body, page),
    );
    this.browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox'],
    });
    return this;
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    this.pay.stop();
    this.shop.stop();
  }

  /** A new page's address, its errors, and every violation of its policy. */
  async open(
    html: string,
    headers: Record<string, string> = {},
    path = '/',
  ): Promise<{ page: Page; errors: string[] }> {
    this.pages.set(path, { html, headers });
    const page = await this.browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (/Content Security|Trusted|Multiple versions/i.test(message.text()))
        errors.push(message.text());
    });
    await page.addInitScript(() => {
      const events = ((globalThis as unknown as { events: unknown[] }).events = [] as unknown[]);
      for (const name of ['ready', 'change', 'paid', 'error', 'close'])
        addEventListener(`checkout-${name}`, (event) => {
          const {
            type,
            checkout,
            stage,
            code,
            message = '',
          } = event as Event & {
            checkout?: { stage: string } | null;
            stage?: string;
            code?: string;
            message?: string;
          };
          events.push([type, stage ?? code ?? checkout?.stage ?? null, message]);
        });
    });
    await page.goto(this.shop.url + path);
    return { page, errors };
  }

  /** Events that the shop's page received: `[type, stage or code]`. */
  async events(page: Page): Promise<[string, string, string][]> {
    return page.evaluate(
      () => (globalThis as unknown as { events: [string, string, string][] }).events,
    );
  }

  /**
   * The errors among them. Each comes after the buyer's text, which does not wait for the script
   * that explains the error to the shop's developer: poll for it.
   */
  async errors(page: Page): Promise<[string, string, string][]> {
    return (await this.events(page)).filter(([type]) => type === 'checkout-error');
  }

  script(file: string): string {
    const { version } = this.manifest;
    const integrity = `sha384-${createHash('sha384').update(this.files.get(file)!).digest('base64')}`;
    const kind = file.endsWith('.mjs') ? 'type="module"' : '';
    return `<script ${kind} src="${this.pay.url}/elements/${version}/${file}" integrity="${integrity}" crossorigin></script>`;
  }

  #answer(method: string, url: URL, body: string, page: ReturnType<typeof createPage>): Answer {
    const open = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'content-type',
      'cross-origin-resource-policy': 'cross-origin',
    };
    if (method === 'OPTIONS') return { status: 204, headers: open, body: '' };
    const [, room, id = '', what] = url.pathname.split('/');
    const file =
      room === 'elements'
        ? this.files.get(what ?? '')
        : room === 'static'
          ? this.files.get('sdk2.js')
          : undefined;
    if (file) return { headers: { ...open, 'content-type': 'text/javascript' }, body: file };
    if (room === 'checkouts' && what !== 'events')
      return this.#checkout(method === 'POST' && !id ? this.#opened(body) : id, open);
    const found = this.checkouts.get(id);
    if (!found || !['pay', 'frame'].includes(room ?? '')) return null;
    const { html, headers } = page.render({
      checkout: found,
      acceptLanguage: null,
      lang: url.searchParams.get('lang'),
      basePath: '',
      publicUrl: this.pay.url,
      successUrl: null,
      secure: false,
      ...(room === 'frame' && {
        frame: { origins: [this.shop.url], theme: url.searchParams.get('theme') },
      }),
    });
    return { headers, body: html };
  }

  #opened(body: string): string {
    const { order, offer } = JSON.parse(body) as { order?: string; offer?: { product?: string } };
    return this.orders.get(order ?? offer?.product ?? '') ?? '';
  }

  #checkout(id: string, open: Record<string, string>): Answer {
    const found = this.checkouts.get(id);
    const headers = { ...open, 'content-type': 'application/json' };
    if (found) return { headers, body: JSON.stringify(found) };
    return {
      status: 403,
      headers,
      body: JSON.stringify({
        result: 'error',
        reason: 'PriceNotAllowed',
        message: 'Not this price.',
      }),
    };
  }
}

/** A checkout of the fixtures that its server serves. */
export function given(
  world: World,
  id: string,
  stage: string,
  overrides: Partial<Checkout> = {},
): Checkout {
  const made = checkout(stage, { id, shop_url: `${world.shop.url}/back`, ...overrides });
  world.checkouts.set(id, made);
  return made;
}
