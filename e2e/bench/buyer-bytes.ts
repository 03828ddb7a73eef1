import { type Browser, type CDPSession, chromium, devices } from '@playwright/test';
import config from '../playwright.config.ts';
import { Buyer } from '../support/buyer.ts';
import { Stack, until } from '../support/stack.ts';
import type { Line } from './line.ts';

/** A fifth of the 210,818 bytes of BTCPay Server's checkout page alone. */
const AT_MOST = 42_000;

/**
 * Everything that a buyer's phone receives from the payment link until the order is paid, headers
 * included: a coin is chosen, one payment arrives and is confirmed. Requests are not counted.
 */
export async function bytesOfBuyer(): Promise<Line[]> {
  const stack = await Stack.start({ NODE_ENV: 'production' }, ['gateway', 'bff']);
  const launch = config.projects?.find(({ name }) => name === 'chromium')?.use?.launchOptions ?? {};
  const browser = await chromium.launch(launch);
  try {
    const received = await pay(browser, stack);
    const total = [...received.values()].reduce((sum, bytes) => sum + bytes, 0);
    return [
      {
        what: 'all that a buyer receives from the link until paid',
        value: total,
        unit: 'B',
        digits: 0,
        atMost: AT_MOST,
        detail: [...received].map(([name, bytes]) => `${name} ${bytes}`).join(', '),
      },
    ];
  } finally {
    await browser.close();
    await stack.stop();
  }
}

async function pay(browser: Browser, stack: Stack): Promise<ReadonlyMap<string, number>> {
  const { id } = await stack.asShop('/checkouts', {
    order: { order_id: 'bytes-until-paid', amount: '18.50', currency: 'USD' },
  });
  const context = await browser.newContext({
    // A phone by its name, too: it decides what is drawn of wallets.
    userAgent: devices['Pixel 7'].userAgent,
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    locale: 'en-US',
  });
  try {
    const page = await context.newPage();
    const received = await countBytes(await context.newCDPSession(page));
    const buyer = new Buyer(page);
    await page.goto(`${stack.publicUrl}/pay/${id}/`);
    await buyer.choose('BTC');
    const { invoice_id } = await buyer.payment();
    const stage = async (): Promise<string | undefined> => (await buyer.view())?.stage;
    await stack.sandbox('pay', { invoice_id });
    await until('the payment on the page', async () => (await stage()) === 'seen');
    await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
    await until('the paid order', async () => (await stage()) === 'paid');
    // The paid stage may load files of its own.
    await page.waitForLoadState('networkidle').catch(() => undefined);
    return received();
  } finally {
    await context.close();
  }
}

/** Counts what arrives, by request; the event stream never ends, so its parts are added up. */
async function countBytes(session: CDPSession): Promise<() => ReadonlyMap<string, number>> {
  const names = new Map<string, string>();
  const bytes = new Map<string, number>();
  const ended = new Set<string>();
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!request.url.startsWith('data:')) names.set(requestId, nameOf(request));
  });
  session.on('Network.responseReceived', ({ requestId, response }) =>
    bytes.set(requestId, response.encodedDataLength),
  );
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (!ended.has(requestId))
      bytes.set(requestId, (bytes.get(requestId) ?? 0) + encodedDataLength);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    ended.add(requestId);
    bytes.set(requestId, encodedDataLength);
  });
  return () => {
    const sums = new Map<string, number>();
    for (const [requestId, name] of names)
      sums.set(name, (sums.get(name) ?? 0) + (bytes.get(requestId) ?? 0));
    return sums;
  };
}

/** The file, or the last part of the address with the method. */
function nameOf({ url, method }: { url: string; method: string }): string {
  const parts = new URL(url).pathname.split('/').filter(Boolean);
  const last = parts.at(-1) ?? '/';
  if (/\.\w+$/.test(last)) return last;
  return `${method} ${/^[\da-f-]{20,}$|^[\w-]{22,}$/i.test(last) ? parts.at(-2) : last}`;
}
