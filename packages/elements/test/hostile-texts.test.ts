import { expect } from '@open-wc/testing';
import type { CryptoCheckout } from '../src/index.ts';
import { CORPUS } from './support/corpus.ts';
import { CASES, filledCase } from './support/filled-views.ts';
import { type FakeServer, deep, open, serveEach, until } from './support/fake-server.ts';

const PLAIN = 'plain words';

/**
 * Together these cases draw every text. The hosted page's test covers the others with the same
 * code.
 */
const DRAWN = [
  'choose',
  'pay, by a request',
  'pay, to an address',
  'pay, from an exchange',
  'paid',
  'late',
  'receipt',
];

describe('hostile texts', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  for (const name of DRAWN)
    it(`are rendered as plain text everywhere: ${name}`, async () => {
      const one = CASES[name]!;
      let plain: string[] = [];
      for (const text of [PLAIN, ...CORPUS]) {
        server.state = filledCase(one, text);
        const { element } = await open({ locale: 'en', ...(one.show && { show: one.show }) });
        await until(() => deep(element, '[part=footer] *').length, 'all of it');
        if (text === PLAIN) plain = shapeOf(element);
        expect(shapeOf(element), text).to.deep.equal(plain);
        expect(deep(element, '[part=merchant]')[0]!.textContent).to.equal(text);
        element.remove();
      }
      expect(plain.length).to.be.greaterThan(20);
    }).timeout(60_000);
});

/**
 * The drawn structure without texts: elements and attribute names. Invalid amounts trigger the
 * tamper check, whose warning is ignored. A logo goes when its file cannot be loaded, sooner or
 * later.
 */
function shapeOf(element: CryptoCheckout): string[] {
  const veil = deep(element, '[part=guard]')[0]?.closest('[role=alert]')?.parentElement;
  const names = (one: Element): string[] =>
    one.getAttributeNames().filter((name) => name !== 'hidden');
  return deep(element, '*')
    .filter((one) => !veil?.contains(one) && !one.matches('img[part=logo]'))
    .map((one) => `${one.localName}[${names(one).join(' ')}]`);
}
