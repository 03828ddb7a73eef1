import { expect } from '@open-wc/testing';
import { type FakeServer, deep, heading, open, serveEach, textOf } from './support/fake-server.ts';
import { SITUATIONS } from './support/situations.ts';

/** Situations in which something went wrong, or waits for the shop. */
const TROUBLE = [
  'underpaid',
  'underpaid, the time for the rest is over',
  'underpaid, the rest was dropped',
  'a part is checked',
  'overpaid',
  'expired',
  'late',
  'late, not renewable',
  'dropped',
  'taken back',
  'held',
  'failed',
  'failed, price over',
  'replaced',
  'wrong coin',
  'paid twice',
];
/** Situations in which paying is what helps. */
const TO_PAY = ['underpaid', 'a part is checked'];

/** Sentences of at least four words on the screen. */
const sentencesOf = (element: Element): string[] =>
  deep(element, '*')
    .filter((one) => one.checkVisibility() && !one.closest('[aria-live]'))
    .flatMap((one) => [...one.childNodes])
    .filter((node) => node instanceof Text)
    .flatMap(({ data }) => data.split(/(?<=[.!?])\s+/))
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.split(' ').length >= 4);

describe('trouble', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  for (const name of TROUBLE)
    it(`${name}: has a heading, at most one main action, the order, the contact, and nothing twice`, async () => {
      const { view } = SITUATIONS[name]!;
      server.state = view;
      const { element } = await open();
      const visible = (selector: string): HTMLElement[] =>
        deep(element, selector).filter((one) => one.checkVisibility());
      expect(heading(element)).to.not.match(/^Send|^Choose/);
      expect(visible('.primary').length, 'main actions').to.be.at.most(1);
      expect(visible('[part~=contact-link]').length, 'contacts').to.equal(1);
      expect(textOf(element)).to.contain(`Order ${view.order.order_id}`);
      expect(visible('crypto-qr').length, 'codes').to.equal(TO_PAY.includes(name) ? 1 : 0);
      const sentences = sentencesOf(element);
      expect(sentences).to.deep.equal([...new Set(sentences)]);
    });
});
