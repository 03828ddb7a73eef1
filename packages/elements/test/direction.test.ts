import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { expect } from '@open-wc/testing';
import { type FakeServer, open, serveEach, settled, until, deep } from './support/fake-server.ts';
import { SITUATIONS } from './support/situations.ts';

/** An amount with its coin. */
const FIGURES = /\d[\d.,]* [A-Z][A-Z-]{2,5}(?![A-Za-z])/g;
/** Bidirectional isolates with their content (UAX 9). */
const ISOLATES = /[\u2066\u2067\u2068][^\u2069]*\u2069/g;

function* textsOf(root: ShadowRoot): Generator<Text> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (!(walker.currentNode.parentNode instanceof HTMLStyleElement))
      yield walker.currentNode as Text;
  for (const child of root.querySelectorAll('*'))
    if (child.shadowRoot) yield* textsOf(child.shadowRoot);
}

describe('right-to-left languages', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  for (const locale of ['ar', 'fa', 'he', 'ur'])
    it(`keep every amount beside its own coin: ${locale}`, async () => {
      const { element } = await open({ locale });
      let seen = 0;
      let version = 10;
      for (const [name, { view }] of Object.entries(SITUATIONS)) {
        version += 1;
        server.state = { ...view, version };
        element.refresh();
        await until(() => element.checkout?.version === version, name);
        await settled(element);
        await until(() => deep(element, '[part=merchant]').length, name);
        for (const { data, parentElement } of textsOf(element.shadowRoot!)) {
          if (parentElement?.closest('bdi, [dir=ltr]')) continue;
          seen += data.match(FIGURES)?.length ?? 0;
          expect(data.replace(ISOLATES, '').match(FIGURES), `${name}: ${data}`).to.equal(null);
        }
      }
      expect(seen).to.be.greaterThan(8);
    });

  for (const [currency, sum] of [
    ['USD', 'US$'],
    ['GBP', 'UK£'],
  ] as const)
    it(`write the sign of a currency after its letters: ${currency}`, async () => {
      const view = server.state as Checkout;
      server.state = { ...view, order: { ...view.order, amount: { amount: '49.90', currency } } };
      const { element } = await open({ locale: 'ar' });
      await until(() => deep(element, '[part=merchant]').length);
      const prices = [...textsOf(element.shadowRoot!)].filter(({ data }) => data.includes(sum));
      expect(prices).to.not.have.length(0);
      for (const price of prices) {
        const at = price.data.indexOf(sum) + sum.length - 1;
        const [letter, sign] = [at - 1, at].map((start) => {
          const range = document.createRange();
          range.setStart(price, start);
          range.setEnd(price, start + 1);
          return range.getBoundingClientRect();
        });
        expect(sign!.left, price.data).to.be.at.least(letter!.right - 1);
      }
    });
});
