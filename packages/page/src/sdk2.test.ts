import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { World, buildScripts, given } from '../test/support/origins.ts';

let world: World;
beforeAll(async () => {
  world = await new World(await buildScripts(['embed', 'sdk'])).start();
});
afterAll(() => world?.stop());
beforeEach(() => {
  world.override = () => undefined;
  world.checkouts.clear();
  world.orders.clear();
  world.pay.asked.length = 0;
  world.orders.set('Mug', 'c1');
  given(world, 'c1', 'choose');
});

interface LifecycleEvents {
  code: string;
  id: string | null;
  status: string;
  payment_status: string;
  is_expired: boolean;
  passthrough: string | null;
}
const HANDLERS = ['onOpen', 'onUpdate', 'onSuccess', 'onIncomplete', 'onCancel'];

/** A page as written for the old script. */
async function open(
  body: string,
  setup: object = {},
  headers: Record<string, string> = {},
): Promise<{ page: Page; said: string[]; errors: string[] }> {
  const { page, errors } = await world.open(
    `<!doctype html><html lang="en"><title>Shop</title><body><script src="${world.pay.url}/static/js/sdk2.js"></script>${body}</body></html>`,
    headers,
  );
  const said: string[] = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  await page.evaluate(
    ([setup, handlers]) => {
      const page = globalThis as unknown as {
        SDK: { setup(options: object): void };
        handled: unknown[];
      };
      page.handled = [];
      const tell =
        (handler: string) => (data: { payment: object; passthrough: unknown }, code: string) =>
          page.handled.push([handler, { code, ...data.payment, passthrough: data.passthrough }]);
      page.SDK.setup({
        ...setup,
        ...Object.fromEntries(handlers.map((name) => [name, tell(name)])),
      });
    },
    [setup, HANDLERS] as const,
  );
  return { page, said, errors };
}
const handled = (page: Page): Promise<[string, LifecycleEvents][]> =>
  page.evaluate(() => (globalThis as unknown as { handled: [string, LifecycleEvents][] }).handled);
const names = async (page: Page): Promise<string[]> => (await handled(page)).map(([name]) => name);
const offers = (): unknown[] =>
  world.pay.asked.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

const BUTTON =
  '<form action="/gone"><input type="submit" class="btn cryptochill-button" data-amount="10" data-currency="EUR" data-product="Mug" data-passthrough=\'{"order_id":7}\' value="Buy"></form>';

describe('a page that was written for sdk2.js', () => {
  it('opens the checkout from its buttons, and hears what happens', async () => {
    const { page, errors } = await open(BUTTON, {
      account: 'a',
      profile: 'p',
      passthrough: 'from setup',
    });
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Choose a coin' }).waitFor();
    expect(offers()).toEqual([
      { offer: { product: 'Mug', amount: '10', currency: 'EUR', passthrough: '{"order_id":7}' } },
    ]);
    await expect
      .poll(() => handled(page))
      .toEqual([
        [
          'onOpen',
          {
            code: 'open',
            id: null,
            status: 'new',
            payment_status: 'waiting',
            is_expired: false,
            passthrough: '{"order_id":7}',
          },
        ],
      ]);
    given(world, 'c1', 'seen', { version: 2 });
    await expect
      .poll(async () => (await handled(page)).at(-1))
      .toEqual([
        'onUpdate',
        {
          code: 'update',
          id: '3f6f1a52-3a3d-4f0e-9d54-0a2f6d0c9b11',
          status: 'pending',
          payment_status: 'processing',
          is_expired: false,
          passthrough: '{"order_id":7}',
        },
      ]);
    // Closed while the network confirms: the page still receives the event.
    await page.keyboard.press('Escape');
    given(world, 'c1', 'paid', { version: 3 });
    await expect.poll(() => names(page)).toEqual(['onOpen', 'onUpdate', 'onUpdate', 'onSuccess']);
    expect((await handled(page)).at(-1)![1]).toMatchObject({
      code: 'success',
      status: 'paid',
      payment_status: 'paid',
    });
    expect(new URL(page.url()).pathname).toBe('/');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('has every button bound: changed, added later, in a shadow root; and none that it stops itself', async () => {
    const { page } = await open(BUTTON);
    await page.evaluate(() => {
      const host = document.body.appendChild(document.createElement('div'));
      const added = document.createElement('button');
      added.className = 'sdk-button';
      added.textContent = 'Later';
      added.dataset['product'] = 'Mug';
      host.attachShadow({ mode: 'open' }).append(added);
      document.querySelector('input')!.dataset['amount'] = '25';
      document
        .querySelector('input')!
        .addEventListener('click', (event) => event.preventDefault(), { once: true });
    });
    await page.getByRole('button', { name: 'Buy' }).click();
    expect(offers()).toEqual([]);
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByRole('dialog').waitFor();
    expect(offers()).toMatchObject([{ offer: { amount: '25' } }, { offer: { product: 'Mug' } }]);
    await page.close();
  });

  it('reports that nothing was paid, or too little', async () => {
    const { page } = await open(BUTTON);
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByRole('heading').waitFor();
    await expect.poll(() => names(page)).toEqual(['onOpen']);
    await page.keyboard.press('Escape');
    await expect.poll(() => names(page)).toEqual(['onOpen', 'onCancel']);
    given(world, 'c1', 'underpaid');
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Partly paid' }).waitFor();
    await expect.poll(() => names(page)).toEqual(['onOpen', 'onCancel', 'onOpen']);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => names(page)).toEqual(['onOpen', 'onCancel', 'onOpen', 'onIncomplete']);
    expect((await handled(page)).at(-1)![1]).toMatchObject({
      code: 'incomplete',
      status: 'pending',
      payment_status: 'incomplete',
    });
    await page.close();
  });

  it('places the checkout where it is asked to, and replaces what it has placed', async () => {
    given(world, 'i1', 'pay');
    const { page } = await open('<main id="here">Text</main>', {
      placement: 'inline',
      placementTarget: 'here',
      invoice: 'i1',
      passthrough: { a: 1 },
    });
    const openIt = (): Promise<void> =>
      page.evaluate(() => (globalThis as unknown as { SDK: { open(): Promise<void> } }).SDK.open());
    await openIt();
    await page
      .locator('#here crypto-checkout')
      .getByRole('heading', { name: 'Send exactly' })
      .waitFor();
    await openIt();
    expect(await page.locator('#here crypto-checkout').count()).toBe(1);
    expect(await page.locator('#here').textContent()).toContain('Text');
    expect(offers()).toEqual([]);
    await expect.poll(async () => (await handled(page))[0]?.[1].passthrough).toBe('{"a":1}');
    await page.close();
  });

  it.each([['an id'], ['an object with the id']])('shows an invoice given as %s', async (form) => {
    given(world, 'i1', 'pay');
    const { page, said } = await open('', { invoice: form === 'an id' ? 'i1' : { id: 'i1' } });
    await page.evaluate(() =>
      (globalThis as unknown as { SDK: { open(): Promise<void> } }).SDK.open(),
    );
    await page.getByRole('dialog').getByRole('heading', { name: 'Send exactly' }).waitFor();
    expect(offers()).toEqual([]);
    expect(said.filter((line) => line.includes('SDK'))).toEqual([]);
    await page.close();
  });

  it('sends the price where the invoice has no id yet', async () => {
    const { page, said } = await open(BUTTON, { invoice: { id: '' } });
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Choose a coin' }).waitFor();
    expect(offers()).toHaveLength(1);
    expect(said.filter((line) => line.includes('SDK'))).toEqual([]);
    await page.close();
  });

  it('names an invoice that has no id', async () => {
    const { said } = await saidAfter('', { invoice: { key: 'i1' } }, { product: 'Mug' });
    expect(said).toEqual([
      expect.stringMatching(
        /^error: SDK: invoice is an id or an object with one, such as \{id: "…"\}, not \{"key":"i1"\}: it is ignored\.$/,
      ),
    ]);
  });

  it('says what to do when the server takes no price from a page', async () => {
    const { page, said } = await open(BUTTON.replace('Mug', 'Hat'));
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByText('This checkout isn’t set up yet.').first().waitFor();
    expect(said.filter((line) => line.includes('SDK:'))).toEqual([
      expect.stringMatching(/^error: .*403: Not this price\..*CATALOGUE.*ALLOW_CLIENT_PRICES/),
    ]);
    await page.keyboard.press('Escape');
    await expect.poll(() => names(page)).toEqual(['onCancel']);
    await page.close();
  });

  /** The console's messages after a click, or after `SDK.open`. */
  async function saidAfter(
    body: string,
    setup: object,
    order: object | null = null,
    headers = {},
  ): Promise<{ said: string[]; errors: string[] }> {
    const { page, said, errors } = await open(body, setup, headers);
    if (body) await page.getByRole('button', { name: 'Buy' }).click();
    else
      await page.evaluate(
        (order) =>
          void (globalThis as unknown as { SDK: { open(order: unknown): Promise<void> } }).SDK.open(
            order,
          ),
        order,
      );
    await expect
      .poll(() =>
        page
          .getByText(/isn’t set up yet|cannot be reached|Choose a coin/)
          .count()
          .then(async (shown) => shown + (await names(page)).length),
      )
      .toBeGreaterThan(0);
    // Any further message would appear before the dialog is closed again.
    await page.keyboard.press('Escape');
    await expect.poll(() => names(page)).toContain('onCancel');
    await page.close();
    return {
      said: said.filter((line) => /^(?:error|warning): (?:SDK|crypto-checkout):/.test(line)),
      errors,
    };
  }
  const press = (attributes: string): string =>
    `<button class="sdk-button" ${attributes}>Buy</button>`;

  it.each([
    [
      'a product that nobody lists',
      press('data-product="mugg"'),
      {},
      [/^error: SDK: http:.* has no product "mugg" \(403: .*CATALOGUE, or better: sign/],
    ],
    [
      'an attribute that is misspelt',
      press('data-prodct="Mug" data-testid="x"'),
      {},
      [
        /the attribute data-prodct is unknown: is "data-product" meant\?$/,
        /^error: SDK: nothing says what is to be paid: .*data-product/,
      ],
    ],
    ['a button without data', press(''), {}, [/^error: SDK: nothing says what is to be paid/]],
    [
      'an address without a scheme',
      press('data-product="Mug"'),
      { apiEndpoint: 'localhost:22080' },
      [
        /^error: SDK: apiEndpoint: "localhost:22080" has to be a whole address, such as http:\/\/localhost:22080\.$/,
      ],
    ],
    [
      'options that there are not',
      press('data-product="Mug"'),
      { acount: 'a', profil: 'p', onSucess: 1, colour: 'red', placement: 'popup' },
      [
        /SDK\.setup takes no "acount": is "account" meant\?$/,
        /SDK\.setup takes no "profil": is "profile" meant\?$/,
        /SDK\.setup takes no "onSucess": is "onSuccess" meant\?$/,
        /SDK\.setup takes no "colour": there are account, profile, .*onCancel\.$/,
        /placement is "modal" or "inline", not "popup": it is taken as "modal"\.$/,
      ],
    ],
  ])('names %s, and nothing else', async (_, body, setup, lines) => {
    const { said, errors } = await saidAfter(body, setup);
    expect(said).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(errors).toEqual([]);
  });

  it('reports to the page too why a price was refused', async () => {
    const { page } = await open('', {});
    await page.evaluate(() =>
      (globalThis as unknown as { SDK: { open(order: object): void } }).SDK.open({
        product: 'mugg',
      }),
    );
    await expect
      .poll(() => world.errors(page))
      .toEqual([
        [
          'checkout-error',
          'setup',
          expect.stringMatching(/has no product "mugg" \(403: Not this price\.\)/),
        ],
      ]);
    await page.close();
  });

  it('names members of an order that there are not', async () => {
    const { said } = await saidAfter('', {}, { product: 'Mug', ammount: 5 });
    expect(said).toEqual([
      expect.stringMatching(/SDK\.open takes no "ammount": is "amount" meant\?$/),
    ]);
  });

  it('takes no event for an order', async () => {
    given(world, 'i1', 'pay');
    const { page, said } = await open('<button>Buy</button>', { invoice: 'i1' });
    await page.evaluate(() =>
      document
        .querySelector('button')!
        .addEventListener(
          'click',
          (globalThis as unknown as { SDK: { open: EventListener } }).SDK.open,
        ),
    );
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Send exactly' }).waitFor();
    expect(said.filter((line) => line.includes('SDK'))).toEqual([]);
    await page.close();
  });

  it('says why a server does not answer, as the element does', async () => {
    const silent = await saidAfter('', { apiEndpoint: 'http://127.0.0.1:9' }, { product: 'Mug' });
    expect(silent.said).toEqual([
      expect.stringMatching(
        /^error: SDK: http:\/\/127\.0\.0\.1:9 cannot be reached from here: .*EMBED_ORIGINS name http:\/\/127.*connect-src\? \(TypeError/,
      ),
    ]);
    const headers = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'content-type',
    };
    world.override = (path) =>
      path === '/shop/checkouts' ? { headers, body: '<h1>Shop</h1>' } : undefined;
    const stranger = await saidAfter(
      '',
      { apiEndpoint: `${world.pay.url}/shop` },
      { product: 'Mug' },
    );
    expect(stranger.said).toEqual([
      expect.stringMatching(
        /\/shop answered something else than a checkout: is it the address of the checkout server\? \(200\)$/,
      ),
    ]);
  });

  it('calls no handler that is none, and goes on', async () => {
    const { page, said, errors } = await open(BUTTON);
    await page.evaluate(() => {
      const { SDK } = globalThis as unknown as { SDK: { setup(options: object): void } };
      SDK.setup({ onOpen: 'x', onCancel: null, onUpdate: undefined });
    });
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Choose a coin' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(said.filter((line) => line.includes('SDK'))).toEqual([
      'error: SDK: onOpen is a function, not "x": it is not called.',
    ]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('says what is missing, and asks the server that it names', async () => {
    const { page, said } = await open('', {
      apiEndpoint: `${world.pay.url}/`,
      placement: 'inline',
      placementTarget: 'nowhere',
      devMode: true,
    });
    await page.evaluate(() =>
      (
        globalThis as unknown as { CryptoChill: { open(order: object): Promise<void> } }
      ).CryptoChill.open({ product: 'Mug' }),
    );
    await page.getByRole('dialog').waitFor();
    expect(said.join('\n')).toMatch(/no element "nowhere"/);
    await expect.poll(() => said.join('\n')).toMatch(/info: SDK open/);
    await page.close();
  });

  const CORS = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'content-type',
  };
  it.each([
    [
      'an address at which nobody answers',
      { apiEndpoint: 'http://127.0.0.1:9' },
      undefined,
      'cannot be reached',
      'network',
      /cannot be reached/,
    ],
    [
      'a page that is not let in',
      {},
      { status: 403, body: '{}' },
      'cannot be reached',
      'network',
      /cannot be reached.*EMBED_ORIGINS/,
    ],
    [
      'a server that fails',
      {},
      { status: 503, headers: CORS, body: '' },
      'is busy',
      'unavailable',
      /is busy \(503\)/,
    ],
    [
      'a server that has too much to do',
      {},
      { status: 429, headers: CORS, body: '{}' },
      'is busy',
      'busy',
      /is busy \(429\)/,
    ],
  ] as const)(
    'shows the buyer of %s what stands in the way',
    async (_, setup, answer, shown, code, line) => {
      let isAway = true;
      world.override = (path, method) =>
        isAway && path === '/checkouts' && method === 'POST' ? answer : undefined;
      const { page, said } = await open(BUTTON, setup);
      await page.getByRole('button', { name: 'Buy' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(`The payment server ${shown}`).first().waitFor();
      await expect
        .poll(() => world.errors(page))
        .toEqual([['checkout-error', code, expect.stringMatching(line)]]);
      expect(await names(page)).toEqual([]);
      if (answer) {
        isAway = false;
        await dialog.getByRole('button', { name: 'Try again' }).click();
        await dialog.getByRole('heading', { name: 'Choose a coin' }).waitFor();
        await expect.poll(() => names(page)).toEqual(['onOpen']);
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect((await names(page)).at(-1)).toBe('onCancel');
      expect(said.filter((one) => line.test(one) && one.includes('SDK:'))).toHaveLength(1);
      expect(said.filter((one) => one.includes('crypto-checkout:'))).toEqual([]);
      await page.close();
    },
  );

  it('reports to a page with an inline checkout once that it could not be opened, and of the next try that it was', async () => {
    let isAway = true;
    world.override = (path, method) =>
      isAway && path === '/checkouts' && method === 'POST'
        ? { status: 503, headers: CORS, body: '' }
        : undefined;
    const { page } = await open(`<div id="here"></div>${BUTTON}`, {
      placement: 'inline',
      placementTarget: 'here',
    });
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.locator('#here').getByText('The payment server is busy').first().waitFor();
    await expect.poll(() => names(page)).toEqual(['onCancel']);
    isAway = false;
    await page.locator('#here').getByRole('button', { name: 'Try again' }).click();
    await page.locator('#here').getByRole('heading', { name: 'Choose a coin' }).waitFor();
    await expect.poll(() => names(page)).toEqual(['onCancel', 'onOpen']);
    await page.close();
  });

  it('shows the buyer that something is done while a server thinks', async () => {
    let answer!: (nothing: null) => void;
    const thought = new Promise<null>((resolve) => void (answer = resolve));
    world.override = (path, method) =>
      path === '/checkouts' && method === 'POST' ? thought : undefined;
    const { page } = await open(BUTTON);
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Please wait' }).waitFor();
    expect(await world.events(page)).toEqual([]);
    answer(null);
    await page.close();
  });

  it('is none the worse for a script that is loaded twice, or for a strict policy', async () => {
    const { page, errors } = await open(
      `<script src="${world.pay.url}/static/js/sdk2.js?again"></script>${BUTTON}`,
      {},
      {
        'content-security-policy': `default-src 'none'; script-src 'self' ${world.pay.url}; style-src 'self'; connect-src ${world.pay.url}; form-action 'none'; require-trusted-types-for 'script'`,
      },
    );
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Choose a coin' }).waitFor();
    expect(offers()).toHaveLength(1);
    expect(errors).toEqual([]);
    await page.close();
  });
});
