import { expect } from '@open-wc/testing';
import { nothing } from 'lit';
import { drawLogo } from '../components/checkout/merchant-logo.ts';
import type { CryptoCheckout } from '../index.ts';
import { LINKS } from '../../test/support/corpus.ts';
import { CASES, type Case, filledCase } from '../../test/support/filled-views.ts';
import { type FakeServer, deep, open, serveEach, until } from '../../test/support/fake-server.ts';

const PLAIN = 'plain words';
const SHOP = 'https://shop.example/';
const OURS = 'https://pay.example/';

/** Every stage, the coins and the receipt. */
const DRAWN = Object.entries(CASES).filter(
  ([, { stage, show }], at, all) =>
    show !== 'onramp' &&
    all.findIndex(([, one]) => one.stage === stage && one.show === show) === at,
);

describe('links', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  async function shown(
    one: Case,
    link: string | ((path: string) => string),
  ): Promise<CryptoCheckout> {
    server.state = filledCase(one, PLAIN, link);
    const { element } = await open({ locale: 'en', ...(one.show && { show: one.show }) });
    await until(() => deep(element, '[part=footer] *').length, 'all of it');
    return element;
  }

  for (const [name, one] of DRAWN)
    it(`are drawn only if they are safe: ${name}`, async () => {
      for (const link of LINKS) {
        const element = await shown(one, link);
        expect(
          linksOf(element).filter((to) => !to.startsWith(OURS)),
          link,
        ).to.deep.equal([]);
        element.remove();
      }
    }).timeout(60_000);

  // A picture that does not load is removed at once, so that the page alone does not show it.
  it('are sources of the logo only if they are safe', () => {
    const merchant = { name: 'A shop', contact: null, legal: null };
    for (const logo of LINKS) expect(drawLogo({ ...merchant, logo }), logo).to.equal(nothing);
  });

  it('are drawn for every valid address', async () => {
    const parts = new Set<string>();
    for (const [, one] of DRAWN) {
      const element = await shown(one, (path) =>
        path === 'payment.strings.link' ? 'bitcoin:bc1q' : `${SHOP}?${path}`,
      );
      for (const anchor of deep(element, 'a'))
        if (!anchor.getAttribute('href')!.startsWith(OURS))
          parts.add(`${anchor.getAttribute('part')} ${anchor.getAttribute('href')}`);
      element.remove();
    }
    expect([...parts].toSorted()).to.deep.equal([
      `contact-link ${SHOP}?merchant.contact`,
      `explorer-link ${SHOP}?received[].explorer_url`,
      `explorer-link ${SHOP}?refunds[].explorer_url`,
      `shop-link ${SHOP}?shop_url`,
      `success-link ${SHOP}?success_url`,
      'wallet-link bitcoin:bc1q',
    ]);
  }).timeout(60_000);
});

/** All link targets and sources. */
const linksOf = (element: CryptoCheckout): string[] =>
  deep(element, '[href], [src], [action], [formaction]').flatMap((one) =>
    ['href', 'src', 'action', 'formaction'].flatMap((name) => one.getAttribute(name) ?? []),
  );
