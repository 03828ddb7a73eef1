import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REFUNDABLE } from '../../elements/test/support/fixture.ts';
import { createPage } from './index.ts';
import { World, buildScripts, given } from '../test/support/origins.ts';
import { request } from '../test/support/views.ts';

const ID = 'c8e1f0a9b2d34c5e6f708192a3b4c5d6';
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.secret.token';
let world: World;

beforeAll(async () => {
  world = await new World(await buildScripts(['embed', 'page'])).start();
});
afterAll(() => world?.stop());
beforeEach(() => {
  world.override = () => undefined;
  world.checkouts.clear();
  world.orders.clear();
  world.pay.asked.length = 0;
  world.orders.set(TOKEN, ID);
});

const tag = (attributes = ''): string =>
  `<crypto-checkout server="${world.pay.url}" order="${TOKEN}" mode="frame" ${attributes}></crypto-checkout>`;
const html = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><body>${world.script('crypto-checkout.mjs')}${body}</body></html>`;
const inside = (page: Page, at = 0): FrameLocator =>
  page.locator('crypto-checkout iframe').nth(at).contentFrame();
const note = 'The payment cannot be shown inside this page.';

/** A page of the checkout server with content of the test. */
const frameSays = (html: string): void => {
  world.override = (path) => (path.startsWith('/frame/') ? { body: html } : undefined);
};

describe('the checkout in a frame', () => {
  it('is our page on our origin, with the token in no address of it', async () => {
    given(world, ID, 'pay');
    const { page, errors } = await world.open(html(tag('locale="de" theme="dark"')));
    await inside(page).getByRole('heading', { name: 'Sende genau' }).waitFor();
    const frame = page.locator('crypto-checkout iframe');
    expect(await frame.getAttribute('src')).toBe(
      `${world.pay.url}/frame/${ID}/?lang=de&theme=dark`,
    );
    expect(await frame.getAttribute('title')).toBe('Zahlung');
    expect(await frame.getAttribute('style')).toBe(null);
    expect(await frame.getAttribute('allow')).toMatch(
      /^clipboard-write; (?:web-share; )?(?:screen-wake-lock; )?payment 'none'$/,
    );
    expect(await frame.getAttribute('sandbox')).not.toMatch(/allow-top-navigation(?:-by|\s|$)/);
    expect(world.pay.asked.filter(({ path }) => path.includes('token'))).toEqual([]);
    expect(
      world.pay.asked.find(({ path }) => path.startsWith('/frame/'))!.headers.referer,
    ).toBeUndefined();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('sends its events to the shop’s page', async () => {
    given(world, ID, 'choose');
    const { page } = await world.open(html(tag()));
    await inside(page).getByRole('heading', { name: 'Choose a coin' }).waitFor();
    given(world, ID, 'pay', { version: 2 });
    await expect
      .poll(async () => (await world.events(page)).map(([type, stage]) => `${type} ${stage}`))
      .toContain('checkout-change pay');
    given(world, ID, 'paid', { version: 3 });
    await expect
      .poll(async () => (await world.events(page)).map(([type, stage]) => `${type} ${stage}`), {
        timeout: 10_000,
      })
      .toEqual([
        'checkout-ready choose',
        'checkout-change pay',
        'checkout-change paid',
        'checkout-paid paid',
      ]);
    await page.close();
  });

  it('proves a refund with the secret that the shop’s page has kept', async () => {
    given(world, ID, 'late', { refundable: [REFUNDABLE] });
    const json = {
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Checkout-Claim',
    };
    // The secret may arrive before the element has drawn its first view.
    let release = (): void => undefined;
    const isSized = new Promise<void>((resolve) => (release = resolve));
    world.override = (path, method) => {
      const file = /\/(paying-[\w-]+\.mjs)$/.exec(path)?.[1];
      if (file)
        return isSized.then(() => ({
          headers: { ...json, 'content-type': 'text/javascript' },
          body: world.files.get(file)!,
        }));
      if (method !== 'POST') return undefined;
      if (path === '/checkouts')
        return {
          headers: { ...json, 'checkout-claim': 'secret of this browser' },
          body: JSON.stringify(world.checkouts.get(ID)),
        };
      return { headers: json, body: '{"refund":{"received":"0.0008"}}' };
    };
    const { page } = await world.open(html(tag()));
    // The guest reports its height after it has asked for the secret.
    const height = () => page.locator('crypto-checkout iframe').getAttribute('height');
    await expect.poll(height).not.toBe('640');
    release();
    await inside(page).locator('[part~="refund-link"]').click();
    await inside(page).locator('[name=address]').fill('bc1qown');
    await inside(page).locator('crypto-refund [part~="submit"]').click();
    const asked = () => world.pay.asked.find(({ path }) => path.endsWith('/refund'))?.body ?? '{}';
    await expect.poll(() => JSON.parse(asked()).claim).toBe('secret of this browser');
    await page.close();
  });

  it('hands the secret of a first choice to the shop’s page, which has it on the next visit', async () => {
    const json = { 'content-type': 'application/json' };
    given(world, ID, 'choose');
    const tagById = `<crypto-checkout server="${world.pay.url}" checkout="${ID}" mode="frame"></crypto-checkout>`;
    world.override = (path, method) => {
      if (method !== 'POST') return undefined;
      if (path.endsWith('/refund'))
        return { headers: json, body: '{"refund":{"received":"0.0008"}}' };
      given(world, ID, 'pay', { version: 2 });
      const { headers } = world.pay.asked.at(-1)!;
      return {
        headers: {
          ...json,
          ...(headers['checkout-frame'] && { 'checkout-claim': 'secret of this browser' }),
        },
        body: JSON.stringify(world.checkouts.get(ID)),
      };
    };
    const { page } = await world.open(html(tagById));
    await inside(page).locator('crypto-coin-picker label').first().click();
    const kept = (): Promise<string | null> =>
      page.evaluate(() => localStorage.getItem('crypto-checkout-claims'));
    await expect.poll(kept).toContain('secret of this browser');
    // The frame's own storage is of another site, which browsers may empty at any time.
    const frame = page.frames().find((one) => one.url().startsWith(world.pay.url))!;
    await frame.evaluate(() => localStorage.clear());
    given(world, ID, 'late', { version: 3, refundable: [REFUNDABLE] });
    await page.reload();
    await inside(page).locator('[part~="refund-link"]').click();
    await inside(page).locator('[name=address]').fill('bc1qown');
    await inside(page).locator('crypto-refund [part~="submit"]').click();
    const asked = () => world.pay.asked.find(({ path }) => path.endsWith('/refund'))?.body ?? '{}';
    await expect.poll(() => JSON.parse(asked()).claim).toBe('secret of this browser');
    await page.close();
  });

  it('is as high as what is in it', async () => {
    given(world, ID, 'pay');
    const { page } = await world.open(html(tag()));
    await inside(page).getByRole('img', { name: /QR/ }).waitFor();
    const heights = (): Promise<[number, number]> =>
      Promise.all([
        page.locator('crypto-checkout iframe').evaluate((frame) => frame.clientHeight),
        inside(page)
          .locator('html')
          .evaluate((html) => Math.ceil(html.getBoundingClientRect().height)),
      ]);
    await expect.poll(async () => (await heights()).reduce((a, b) => a - b)).toBe(0);
    const [before] = await heights();
    await inside(page)
      .locator('main')
      .evaluate((main) => {
        for (let line = 0; line < 100; line++)
          main.append(main.ownerDocument.createElement('p'), 'more');
      });
    await expect.poll(async () => (await heights())[0]).toBeGreaterThan(before + 500);
    await page.close();
  });

  it('goes back to the shop by the host, and only where the server said', async () => {
    given(world, ID, 'pay');
    const { page } = await world.open(html(tag()));
    world.pages.set('/back', { html: 'Welcome back' });
    await inside(page).getByRole('link', { name: 'Back to the shop' }).click();
    await page.waitForURL('**/back');
    await page.close();
  });

  it('stays where the shop’s page wants that', async () => {
    given(world, ID, 'pay');
    const { page } = await world.open(html(tag()));
    await page.evaluate(() =>
      addEventListener('checkout-close', (event) => event.preventDefault()),
    );
    await inside(page).getByRole('link', { name: 'Back to the shop' }).click();
    await expect.poll(async () => (await world.events(page)).at(-1)?.[0]).toBe('checkout-close');
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await inside(page).getByRole('heading').textContent()).toContain('Send exactly');
    await page.close();
  });

  it('wears the theme, the colours, the corners and the fonts of the page, and nothing else', async () => {
    given(world, ID, 'pay');
    const { page } = await world.open(html(tag('theme="light"')));
    const own = inside(page).locator('crypto-checkout');
    await inside(page).getByRole('img', { name: /QR/ }).waitFor();
    await page.addStyleTag({
      content: `crypto-checkout { --crypto-checkout-accent: light-dark(#7a2ea0, rgb(1 2 3 / 50%)); --crypto-checkout-text: url(https://evil.example/x); --crypto-checkout-radius: 3px; --crypto-checkout-font: 18px/1.4 Georgia, serif; --crypto-checkout-font-mono: a, url(x); --crypto-checkout-danger: red; background: red }`,
    });
    await page
      .locator('crypto-checkout')
      .evaluate((element) => element.setAttribute('theme', 'dark'));
    await expect.poll(() => own.getAttribute('theme')).toBe('dark');
    const look = await own.evaluate((element) =>
      ['accent', 'text', 'radius', 'font', 'font-mono', 'danger'].map((name) =>
        (element as HTMLElement).style.getPropertyValue(`--crypto-checkout-${name}`),
      ),
    );
    expect(look).toEqual([
      'light-dark(#7a2ea0, rgb(1 2 3 / 50%))',
      '',
      '3px',
      '18px/1.4 Georgia, serif',
      '',
      'red',
    ]);
    await page.close();
  });

  it('leaves out the header and returns to the shop when the attributes of the page say so', async () => {
    given(world, ID, 'pay');
    world.pages.set('/thanks', { html: '<!doctype html><title>Thanks</title>' });
    const { page } = await world.open(html(tag('header="none" redirect-after="now"')));
    await inside(page).getByRole('img', { name: /QR/ }).waitFor();
    await expect.poll(() => inside(page).locator('[part=header]').count()).toBe(0);
    const thanks = `${world.shop.url}/thanks`;
    given(world, ID, 'paid', { version: 3, success_url: thanks });
    await expect.poll(() => page.url()).toBe(thanks);
    await page.close();
  });

  it('opens beside itself every page of its server that no frame may show', async () => {
    given(world, ID, 'complete', { mails_receipt: true });
    const { page } = await world.open(html(tag('redirect-after="off"')));
    await inside(page).getByRole('link', { name: 'Receipt', exact: true }).click();
    const [beside] = await Promise.all([
      page.waitForEvent('popup'),
      inside(page).getByRole('link', { name: 'Send this receipt by email' }).click(),
    ]);
    expect(beside.url()).toBe(`${world.pay.url}/pay/${ID}/receipt`);
    await inside(page).getByRole('heading', { name: 'Receipt' }).waitFor();
    await page.close();
  });

  it('is one of several that do not disturb each other', async () => {
    given(world, ID, 'pay');
    given(world, 'second', 'choose');
    world.orders.set('other', 'second');
    const { page } = await world.open(html(tag() + tag('locale="de"').replace(TOKEN, 'other')));
    await inside(page, 0).getByRole('heading', { name: 'Send exactly' }).waitFor();
    await inside(page, 1).getByRole('heading', { name: 'Wähle eine Währung' }).waitFor();
    given(world, 'second', 'pay', { version: 2 });
    await inside(page, 1).getByRole('heading', { name: 'Sende genau' }).waitFor();
    const stages = await page
      .locator('crypto-checkout')
      .evaluateAll((all) =>
        all.map(
          (one) => (one as HTMLElement & { checkout: { id: string; stage: string } }).checkout,
        ),
      );
    expect(stages.map(({ id, stage }) => [id, stage])).toEqual([
      [ID, 'pay'],
      ['second', 'pay'],
    ]);
    await page.close();
  });

  it('lets the Escape key out, for a dialog around it', async () => {
    given(world, ID, 'pay');
    const button = `<crypto-checkout-button server="${world.pay.url}" order="${TOKEN}" mode="frame"></crypto-checkout-button>`;
    const { page } = await world.open(html(button));
    await page.getByRole('button', { name: 'Pay with cryptocurrency' }).click();
    // The framed page is visible before its key listener runs.
    await expect.poll(async () => (await world.events(page)).flat()).toContain('checkout-ready');
    await inside(page).getByRole('link', { name: 'Back to the shop' }).focus();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect((await world.events(page)).at(-1)).toEqual(['checkout-close', 'pay', '']);
    await page.close();
  });
});

describe('a frame in a dialog that is closed', () => {
  const button = (): string =>
    `<crypto-checkout-button server="${world.pay.url}" order="${TOKEN}" mode="frame"></crypto-checkout-button>`;
  /** Texts beside the dialog. */
  const spoken = (page: Page): Promise<string> =>
    page
      .locator('crypto-checkout-button')
      .evaluate(
        (host) => [...host.shadowRoot!.children].find((child) => child.ariaLive)?.textContent ?? '',
      );
  const thanks = (): string => `${world.shop.url}/thanks`;

  it('redirects no buyer, lets the shop’s page announce the payment, and shows it when it is opened again', async () => {
    given(world, ID, 'pay');
    world.pages.set('/', { html: html(button()) });
    const page = await world.browser.newPage();
    await page.clock.install();
    await page.goto(world.shop.url);
    await page.getByRole('button', { name: 'Pay with cryptocurrency' }).click();
    await inside(page).getByRole('heading', { name: 'Send exactly' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    given(world, ID, 'seen', { version: 2 });
    await expect.poll(() => spoken(page)).toContain('Payment detected');
    given(world, ID, 'paid', { version: 3, success_url: thanks() });
    await expect.poll(() => spoken(page)).toMatch(/^Payment complete/);
    expect(await spoken(page)).not.toContain('Taking you back');
    await page.clock.runFor(30_000);
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByRole('button', { name: 'Pay with cryptocurrency' }).click();
    await inside(page).getByRole('heading', { name: 'Payment complete' }).waitFor();
    await inside(page).getByRole('link', { name: 'Return to Quay & Co.' }).waitFor();
    await page.clock.runFor(30_000);
    expect(new URL(page.url()).pathname).toBe('/');
    await page.close();
  });

  it('goes nowhere for a page in it that asks by itself', async () => {
    const view = { ...given(world, ID, 'paid'), success_url: thanks() };
    frameSays(`<!doctype html><title>x</title><script>
      addEventListener('message', ({ ports: [port] }) => {
        const post = (message) => port.postMessage({ v: 1, ...message });
        post({ type: 'ready' });
        post({ type: 'checkout', checkout: ${JSON.stringify(view)} });
        port.onmessage = ({ data }) => {
          if (data.theme !== 'dark') return;
          post({ type: 'leave', href: ${JSON.stringify(thanks())}, asked: false });
          post({ type: 'error', code: 'busy', message: 'last' });
        };
      });
      parent.postMessage({ name: 'crypto-checkout', v: 1, type: 'hello', nonce: '${'a'.repeat(32)}' }, '*');
    </script>`);
    const { page } = await world.open(html(button()));
    await page.getByRole('button', { name: 'Pay with cryptocurrency' }).click();
    await expect.poll(async () => (await world.events(page)).flat()).toContain('checkout-paid');
    await page.getByRole('button', { name: 'Close' }).click();
    await page
      .locator('crypto-checkout-button')
      .evaluate((host) => host.setAttribute('theme', 'dark'));
    await expect
      .poll(async () => (await world.events(page)).at(-1))
      .toEqual(['checkout-error', 'busy', 'last']);
    expect((await world.events(page)).filter(([type]) => type === 'checkout-close')).toHaveLength(
      1,
    );
    expect(new URL(page.url()).pathname).toBe('/');
    await page.close();
  });
});

describe('a frame that cannot be had', () => {
  it('becomes a link after five seconds of silence, not before', async () => {
    given(world, ID, 'pay');
    frameSays('<!doctype html><title>Silence</title>');
    const { page } = await opened(html(tag()));
    await page.clock.fastForward(3000);
    expect(await page.getByText(note).count()).toBe(0);
    await page.clock.fastForward(2000);
    await page.getByText(note).first().waitFor();
    // It stays in its place, because it may still answer.
    expect(await page.locator('crypto-checkout iframe').isVisible()).toBe(false);
    expect(
      await page.getByRole('link', { name: 'Pay with cryptocurrency' }).getAttribute('href'),
    ).toBe(`${world.pay.url}/pay/${ID}/`);
    await expect
      .poll(() => world.errors(page))
      .toEqual([['checkout-error', 'setup', expect.stringContaining('EMBED_ORIGINS')]]);
    await page.close();
  });

  it('becomes a link at once where the page’s policy forbids it', async () => {
    given(world, ID, 'pay');
    const { page } = await world.open(html(tag()), {
      'content-security-policy': "frame-src 'self'",
    });
    await page.getByText(note).first().waitFor();
    await expect
      .poll(() => world.errors(page))
      .toEqual([['checkout-error', 'setup', expect.stringContaining('frame-src')]]);
    await page.close();
  });

  it.each([
    ['an older version', { v: 0 }],
    ['a newer version', { v: 2 }],
    ['a nonce that is none', { nonce: 'x' }],
    ['another name', { name: 'other' }],
  ])('becomes a link when it speaks %s', async (_, part) => {
    given(world, ID, 'pay');
    const hello = JSON.stringify({
      name: 'crypto-checkout',
      v: 1,
      type: 'hello',
      nonce: 'a'.repeat(32),
      ...part,
    });
    frameSays(`<!doctype html><title>x</title><script>
      addEventListener('message', () => (document.title = 'heard'));
      parent.postMessage(${hello}, '*');
    </script>`);
    const { page } = await opened(html(tag()));
    await page.clock.fastForward(5000);
    await page.getByText(note).first().waitFor();
    await page.close();
  });
});

describe('a hostile window', () => {
  const HELLO = `{ name: 'crypto-checkout', v: 1, type: 'hello', nonce: '${'a'.repeat(32)}' }`;
  /** Announces itself to the shop's page until the end, and records the answers. */
  const impostor = (target: string): string => `<!doctype html><title>silent</title><script>
    addEventListener('message', (event) => { document.title = 'answered'; });
    setInterval(() => ${target}.postMessage(${HELLO}, '*'), 20);
  </script>`;

  it('is not answered: our origin in another window, another origin in our frame, the page itself', async () => {
    given(world, ID, 'pay');
    world.override = (path) => (path === '/impostor' ? { body: impostor('parent') } : undefined);
    world.pages.set('/impostor', { html: impostor('parent') });
    const { page } = await world.open(
      html(
        `${tag()}<iframe id="a" src="${world.pay.url}/impostor"></iframe><iframe id="b" src="/impostor"></iframe>`,
      ),
    );
    await page.evaluate((hello) => setInterval(() => postMessage(hello, '*'), 20), {
      name: 'crypto-checkout',
      v: 1,
      type: 'hello',
      nonce: 'a'.repeat(32),
    });
    await inside(page).getByRole('heading', { name: 'Send exactly' }).waitFor();
    await expect.poll(async () => (await world.events(page)).length).toBeGreaterThan(0);
    for (const id of ['a', 'b'])
      expect(
        await page
          .frameLocator(`#${id}`)
          .locator('html')
          .evaluate(() => document.title),
      ).toBe('silent');
    // Another origin in our frame: a target that a page of ours could be redirected to.
    await page
      .locator('crypto-checkout iframe')
      .evaluate(
        (frame, src) => (frame as HTMLIFrameElement).contentWindow!.location.replace(src),
        `${world.shop.url}/impostor`,
      );
    await expect
      .poll(() =>
        inside(page)
          .locator('html')
          .evaluate(() => document.title)
          .catch(() => ''),
      )
      .toBe('silent');
    await page.waitForTimeout(200);
    expect(
      await inside(page)
        .locator('html')
        .evaluate(() => document.title),
    ).toBe('silent');
    await page.close();
  });

  it.each([
    { named: ['https://other.example', 'SHOP'], isNamed: true },
    { named: [], isNamed: false },
    { named: ['https://other.example'], isNamed: false },
    { named: ['SHOP.evil.example'], isNamed: false },
    { named: ['null', '*'], isNamed: false },
  ])(
    'is sized by our page only where the server has named its origin: $named',
    async ({ named, isNamed }) => {
      const view = given(world, ID, 'pay');
      const frame = {
        origins: named.map((origin) => origin.replace('SHOP', world.shop.url)),
        theme: null,
      };
      // Without the policy, which would keep the browser from rendering it.
      frameSays(
        createPage({ files: world.manifest }).render(request(view, { secure: false, frame })).html,
      );
      const { page } = await world.open(html(tag()));
      await inside(page).getByRole('img', { name: /QR/ }).waitFor();
      const height = (): Promise<string | null> =>
        page.locator('crypto-checkout iframe').getAttribute('height');
      if (isNamed) await expect.poll(height).not.toBe('640');
      else {
        await page.waitForTimeout(1000);
        expect(await height()).toBe('640');
      }
      await page.close();
    },
  );

  it('cannot make the host go anywhere, show another checkout, or grow without end, when it has taken our page over', async () => {
    given(world, ID, 'pay');
    frameSays(`<!doctype html><title>x</title><script>
      addEventListener('message', ({ data, ports: [port] }) => {
        const post = (message) => port.postMessage({ v: 1, ...message });
        const view = ${JSON.stringify({ ...given(world, ID, 'paid'), success_url: 'javascript:alert(1)', shop_url: 'data:text/html,x' })};
        port.postMessage({ v: 0, type: 'size', height: 1234 });
        port.postMessage(null);
        post({ type: 'checkout', checkout: { ...view, id: 'another' } });
        post({ type: 'checkout', checkout: 'nonsense' });
        post({ type: 'size', height: 1e9 });
        post({ type: 'size', height: '900' });
        post({ type: 'leave', href: 'https://evil.example/', asked: true });
        post({ type: 'checkout', checkout: view });
        post({ type: 'leave', href: 'javascript:alert(1)', asked: true });
        post({ type: 'leave', href: 'data:text/html,x', asked: true });
        post({ type: 'error', code: '<img>', message: 'x' });
        post({ type: 'error', code: 'busy', message: 'last' });
      });
      parent.postMessage(${HELLO}, '*');
    </script>`);
    given(world, ID, 'pay');
    const { page, errors } = await world.open(html(tag()));
    await expect
      .poll(async () => (await world.events(page)).at(-1))
      .toEqual(['checkout-error', 'busy', 'last']);
    expect(new URL(page.url()).origin).toBe(world.shop.url);
    expect(await page.locator('crypto-checkout iframe').getAttribute('height')).toBe('640');
    expect(await world.errors(page)).toHaveLength(1);
    expect(
      await page
        .locator('crypto-checkout')
        .evaluate((element) => (element as HTMLElement & { checkout: { id: string } }).checkout.id),
    ).toBe(ID);
    expect(errors).toEqual([]);
    await page.close();
  });
});

/** Opened with a clock that the test moves. */
async function opened(text: string): Promise<{ page: Page }> {
  world.pages.set('/', { html: text });
  const page = await world.browser.newPage();
  await page.clock.install();
  await page.addInitScript(() => {
    const events = ((globalThis as unknown as { events: unknown[] }).events = [] as unknown[]);
    addEventListener('checkout-error', (event) =>
      events.push([event.type, ...['code', 'message'].map((name) => event[name as 'type'])]),
    );
  });
  const loaded = page.waitForResponse(/\/frame\//);
  await page.goto(world.shop.url);
  await loaded;
  return { page };
}
