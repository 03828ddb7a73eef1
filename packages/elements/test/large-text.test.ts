import { expect } from '@open-wc/testing';
import { SITUATIONS } from './support/situations.ts';
import { type FakeServer, deep, open, serveEach, settled, until } from './support/fake-server.ts';

/** A small phone. */
const WIDTH = 360;
/** A coin that was used before adds a line. */
const LAST_KIND = 'crypto-checkout-kind';

describe('text of 200 % on a phone (WCAG 1.4.4, 1.4.10)', () => {
  let server: FakeServer;
  let frame: HTMLElement;
  serveEach((started) => (server = started));
  beforeEach(() => {
    document.documentElement.style.fontSize = '200%';
    localStorage.setItem(LAST_KIND, 'ETH-BASE');
    frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = `${WIDTH}px`;
  });
  afterEach(() => {
    document.documentElement.style.fontSize = '';
    localStorage.removeItem(LAST_KIND);
    frame.remove();
  });

  for (const [name, { view }] of Object.entries(SITUATIONS))
    it(`${name}: nothing leaves the card or is cut`, async () => {
      server.state = view;
      // German has the longest words of all supported languages.
      for (const locale of ['en', 'de']) {
        const { element } = await open({ locale });
        frame.append(element);
        await settled(element);
        await until(() => deep(element, '[aria-live]').length, 'the tools');
        await settled(element);
        const card = element.shadowRoot!.querySelector('[part=base]')!.getBoundingClientRect();
        const shown = deep(element, '*').filter(isDrawn);
        expect(shown.filter((one) => leaves(one, card)).map(describeNode), locale).to.deep.equal(
          [],
        );
        expect(shown.filter(isTooSmall).map(describeNode), locale).to.deep.equal([]);
        expect(frame.scrollWidth, locale).to.be.at.most(WIDTH);
        element.remove();
      }
    });
});

/** Drawings and hidden controls apart. */
const isDrawn = (one: Element): boolean =>
  one.getBoundingClientRect().width > 1 &&
  !(one instanceof SVGElement) &&
  !one.matches('[type=radio], [part=submit], [aria-live]');

const leaves = (one: Element, card: DOMRect): boolean => {
  const { left, right } = one.getBoundingClientRect();
  return left < card.left - 0.5 || right > card.right + 0.5;
};

/** A lightning request keeps its ends on one line, and is copied whole. */
const isTooSmall = (one: Element): boolean =>
  one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1 && !one.closest('.long');

const describeNode = (one: Element): string =>
  `${one.localName}[${one.getAttribute('part') ?? one.className}] ${one.textContent.trim().slice(0, 40)}`;
