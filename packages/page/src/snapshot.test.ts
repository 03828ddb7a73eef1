import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { describe, expect, it } from 'vitest';
import { COINS, checkout, lightning } from '../../elements/test/support/fixture.ts';
import { createPage } from './index.ts';
import { readPage } from '../test/support/parsed-page.ts';
import { HEAVY, STAGES, request } from '../test/support/views.ts';

const page = createPage();
const VIEWS: readonly { name: string; view: Checkout; show?: string | undefined }[] = [
  ...STAGES.map((stage) => ({ name: stage, view: checkout(stage) })),
  ...HEAVY.map(([name, view, show]) => ({ name, view, show })),
  { name: 'the only coin', view: checkout('pay', { coins: [COINS[0]!] }) },
  {
    name: 'lightning, no longer offered',
    view: { ...lightning(), coins: [COINS[0]!] },
  },
  {
    name: 'on-chain bitcoin, no longer offered',
    view: checkout('pay', { coins: [COINS[1]!] }),
  },
];

/**
 * The checkout's shadow root, and the view that it is rendered from. A frame's page has the whole
 * view, our own page a reduced one.
 */
function drawn(
  view: Checkout,
  show: string | undefined,
  whole: boolean,
): { root: string; sent: Checkout; bytes: number } {
  const { html } = page.render(
    request(view, {
      show: show ?? null,
      path: `/pay/${view.id}/`,
      frame: whole ? { origins: [], theme: 'auto' } : null,
    }),
  );
  const json = readPage(html, { scripting: true }).snapshot ?? '';
  return {
    root: /<crypto-checkout[^>]*>(.*)<\/crypto-checkout>/s.exec(html)?.[1] ?? '',
    sent: JSON.parse(json) as Checkout,
    bytes: json.length,
  };
}

describe('what a page sends for its script', () => {
  it.each(VIEWS)('is less than the view, and draws the very same: $name', ({ view, show }) => {
    const [own, whole] = [drawn(view, show, false), drawn(view, show, true)];
    expect(own.root.length).toBeGreaterThan(1000);
    expect(own.root).toBe(whole.root);
    expect(whole.sent).toEqual(view);
    expect(own.bytes).toBeLessThan(whole.bytes);
    expect(own.sent).toMatchObject({
      id: view.id,
      stage: view.stage,
      version: view.version,
      notes: view.notes,
    });
  });

  it('is no list of coins where a payment is shown, and all of it where coins are', () => {
    const [, view] = HEAVY.find(([name]) => name === 'pay')!;
    const kinds = (show?: string): string[] =>
      drawn(view, show, false).sent.coins.map(({ symbol }) => symbol);
    expect(kinds()).toHaveLength(view.coins.filter(({ symbol }) => symbol === 'BTC').length + 1);
    expect(kinds('coins')).toHaveLength(view.coins.length);
  });
});
