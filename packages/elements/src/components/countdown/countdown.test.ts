import { expect } from '@open-wc/testing';
import { formatTime, formatDuration, formatTimestamp } from '../../i18n/time.ts';
import { formatDuration as formatUsualTime } from '../coin-picker/coin-texts.ts';
import type { CryptoCheckout } from '../../index.ts';
import { checkout, payment } from '../../../test/support/fixture.ts';
import {
  FakeServer,
  FakeStream,
  deep,
  heading,
  moveClocks,
  open,
  pause,
  settled,
  spoken,
  textOf,
  until,
} from '../../../test/support/fake-server.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const at = (ms: number): string => new Date(NOW + ms).toISOString();

/** A payment whose price holds for this time from the server's current time. */
const holding = (ms: number, { now = 0, extendable = true, version = 1 } = {}) =>
  checkout('pay', {
    version,
    server_time: at(now),
    payment: payment({ expires_at: at(now + ms), extendable }),
  });

const timer = (element: CryptoCheckout): string =>
  deep(element, '[role=timer]')[0]?.textContent?.trim() ?? '';
const offer = (element: CryptoCheckout): HTMLElement | undefined =>
  deep(element, '[part=more]').find((form) => !form.classList.contains('noscript'));
const hasAddress = (element: CryptoCheckout): boolean =>
  textOf(element).replaceAll(' ', '').includes('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');

describe('durations', () => {
  it('are formatted the same in the list of coins and after paying', () => {
    for (const language of ['en', 'de', 'ar', 'zh-Hans'])
      for (const seconds of [
        1, 15, 59, 60, 89, 90, 150, 1200, 3600, 5399, 5400, 6600, 7199, 7200, 21_600,
      ])
        expect(formatUsualTime(seconds, language), `${seconds} s in ${language}`).to.equal(
          formatDuration(seconds, language),
        );
    expect(formatDuration(6600, 'en')).to.equal('110 minutes');
  });

  it('have the Hebrew singular in words, as its plural forms have it', () => {
    expect([1, 60, 2, 3].map((seconds) => formatDuration(seconds, 'he'))).to.deep.equal([
      'שנייה אחת',
      'דקה אחת',
      'שתי שניות',
      '3 שניות',
    ]);
    expect(formatDuration(7100, 'he')).to.equal('118 דקות');
  });
});

describe('times of day', () => {
  const inCountry = (languages: string[], run: () => unknown): void => {
    Object.defineProperty(navigator, 'languages', { configurable: true, value: languages });
    try {
      run();
    } finally {
      delete (navigator as { languages?: unknown }).languages;
    }
  };
  const afternoon = new Date(2026, 10, 21, 14, 35).getTime();

  it('use the regional format of the reader', () => {
    inCountry(['en-GB', 'de'], () => {
      expect(formatTime(afternoon, 'en')).to.equal('14:35');
      expect(formatTimestamp(new Date(afternoon).toISOString(), 'en')).to.contain('21 Nov 2026');
      expect(formatTime(afternoon, 'de')).to.equal('14:35');
    });
    inCountry(['sw-KE', 'en-US'], () => expect(formatTime(afternoon, 'en')).to.match(/^2:35\sPM$/));
    inCountry(['zh-TW'], () => expect(formatTime(afternoon, 'zh-Hans')).to.equal('14:35'));
    inCountry(['ar-EG-u-nu-arab'], () => expect(formatTime(afternoon, 'ar')).to.match(/2:35/));
    for (const odd of ['en-US@posix', 'en-', 'C'])
      inCountry([odd], () => expect(formatTime(afternoon, 'en')).to.match(/^2:35\sPM$/));
  });
});

describe('the price clock', () => {
  let server: FakeServer;
  const said: string[] = [];
  /** All announcements, without repetitions. */
  const listen = (element: CryptoCheckout): void => {
    said.length = 0;
    new MutationObserver(() => {
      const text = spoken(element);
      if (text && said.at(-1) !== text) said.push(text);
    }).observe(element.shadowRoot!, { subtree: true, childList: true, characterData: true });
  };
  beforeEach(() => {
    server = new FakeServer();
    server.start();
  });
  afterEach(() => {
    server.stop();
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
  });

  it('offers and announces nothing at first', async () => {
    server.state = holding(15 * MINUTE);
    const { element } = await open();
    listen(element);
    await pause(200);
    expect(offer(element)).to.equal(undefined);
    expect(said).to.deep.equal([]);
  });

  it('offers more time once in the last fifth', async () => {
    server.state = holding(15 * MINUTE);
    const { element } = await open();
    listen(element);
    await until(() => FakeStream.all.length === 1);
    moveClocks({ steady: 11.9 * MINUTE, wall: 11.9 * MINUTE });
    await pause(100);
    expect(offer(element)).to.equal(undefined);
    moveClocks({ steady: 0.2 * MINUTE, wall: 0.2 * MINUTE });
    await until(() => offer(element), 'an offer');
    await until(() => said.some((text) => text.includes('Need more time?')));
    await expect(element).to.be.accessible();
    moveClocks({ steady: MINUTE, wall: MINUTE });
    await pause(400);
    expect(said.filter((text) => text.includes('Need more time?'))).to.have.length(1);
  });

  it('offers more time in the last two minutes of a short price', async () => {
    server.state = holding(5 * MINUTE);
    const { element } = await open();
    moveClocks({ steady: 2.9 * MINUTE, wall: 2.9 * MINUTE });
    await pause(100);
    expect(offer(element)).to.equal(undefined);
    moveClocks({ steady: 0.2 * MINUTE, wall: 0.2 * MINUTE });
    await until(() => offer(element), 'an offer');
  });

  it('offers more time at once to a buyer who arrives in the last minutes', async () => {
    server.state = holding(MINUTE);
    const { element } = await open();
    await until(() => offer(element), 'an offer');
  });

  it('does not offer time that the server would refuse', async () => {
    server.state = holding(MINUTE, { extendable: false });
    const { element } = await open();
    listen(element);
    await pause(200);
    expect(deep(element, '[part=more]')).to.have.length(0);
    expect(said.join()).not.to.contain('more time');
  });

  it('extends the time on request and announces until when', async () => {
    server.state = holding(MINUTE);
    const { element } = await open();
    await until(() => offer(element), 'an offer');
    listen(element);
    server.state = holding(16 * MINUTE, { extendable: false, version: 2 });
    offer(element)!.querySelector('button')!.click();
    await until(() => timer(element).match(/^1[56]:/), 'a longer time');
    expect(server.posts.at(-1)).to.include({
      path: '/checkouts/c8e1f0a9b2d34c5e6f708192a3b4c5d6/renew',
    });
    expect(server.posts.at(-1)!.body).to.deep.equal({ extend: true });
    expect(offer(element)).to.equal(undefined);
    const end = new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(NOW + 16 * MINUTE);
    await until(
      () => said.some((text) => text.includes(`You have more time now: until ${end}.`)),
      'it is said',
    );
  });

  it('announces the end if no more time is available, also after a part was paid', async () => {
    server.state = holding(15 * MINUTE, { extendable: false });
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    const part = (now: number, version: number) =>
      checkout('underpaid', {
        version,
        server_time: at(now),
        payment: {
          ...checkout('underpaid').payment!,
          expires_at: at(15 * MINUTE),
          extendable: false,
        },
      });
    FakeStream.all[0]!.send(part(MINUTE, 2));
    await until(() => heading(element) !== 'Send exactly');
    listen(element);
    FakeStream.all[0]!.send(part(15 * MINUTE - 68_000, 3));
    await until(() => said.some((text) => text.includes('Time left: 1 minute')), 'it is said');
    // An update with a later server time than the local clock.
    FakeStream.all[0]!.send(part(15 * MINUTE - 29_000, 4));
    await until(
      () => said.some((text) => text.includes('Time left: 29 seconds')),
      'it is said once more',
    );
  });

  it('announces the end to a buyer who arrives in the last minutes', async () => {
    server.state = holding(100_000, { extendable: false });
    const { element } = await open();
    await until(() => spoken(element).includes('Time left: 2 minutes'), 'it is said');
  });

  it('announces the remaining time at a few moments only', async () => {
    server.state = holding(15 * MINUTE, { extendable: false });
    const { element } = await open();
    listen(element);
    for (let minute = 0; minute < 14; minute++) {
      moveClocks({ steady: MINUTE, wall: MINUTE });
      await pause(60);
    }
    moveClocks({ steady: 0.5 * MINUTE, wall: 0.5 * MINUTE });
    await pause(300);
    expect(said).to.have.length.within(3, 4);
    expect(said[0]).to.equal('Time left: 5 minutes');
    expect(said[1]).to.equal('Time left: 3 minutes');
  });

  it('keeps the screen after the end until the server answers', async () => {
    server.state = holding(2000);
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(holding(2000));
    const asked = server.asked.length;
    moveClocks({ steady: 3000, wall: 3000 });
    await until(() => timer(element) === '00:00');
    await until(() => server.asked.length > asked, 'it asks at once');
    await settled(element);
    expect(heading(element)).to.equal('Send exactly');
    expect(hasAddress(element)).to.equal(true);
    const again = server.asked.length;
    await pause(800);
    await until(() => server.asked.length > again, 'it asks until it knows');
    FakeStream.all.at(-1)!.send(checkout('seen', { version: 2 }));
    await until(() => heading(element) === 'Payment detected');
  });

  it('offers a new price after the end and keeps the address available', async () => {
    server.state = checkout('expired');
    const { element } = await open();
    expect(hasAddress(element)).to.equal(true);
    expect(textOf(element)).to.contain('It isn’t lost');
  });

  it('shows a late payment above the list of coins, with the contact link', async () => {
    server.state = checkout('late', {
      merchant: {
        name: 'Quay & Co.',
        contact: 'https://shop.example/help',
        logo: null,
        legal: null,
      },
    });
    const { element } = await open();
    await until(
      () => textOf(element).includes('It arrived after the price expired'),
      'the sentence',
    );
    deep(element, '[part=other-coin]')[0]!.click();
    await until(() => heading(element) === 'Choose a coin');
    const [note] = deep(element, '[part=note]').filter((one) =>
      one.textContent.includes('arrived after the price expired'),
    );
    const [contact, list] = [
      deep(element, '[part=contact-link]')[0],
      deep(element, 'crypto-coin-picker')[0]!,
    ];
    for (const above of [note, contact])
      expect(above!.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING).to.not.equal(
        0,
      );
    await expect(element).to.be.accessible();
  });

  for (const [name, wall] of [
    ['a day ahead', DAY],
    ['a day behind', -DAY],
    ['decades behind', -20_000 * DAY],
  ] as const)
    it(`follows the server on a device whose clock is ${name}`, async () => {
      moveClocks({ wall });
      server.state = holding(10 * MINUTE);
      const { element } = await open();
      expect(timer(element)).to.match(/^(10:00|09:5\d)$/);
      moveClocks({ steady: 5 * MINUTE, wall: 5 * MINUTE });
      await until(() => timer(element).match(/^0(5:00|4:5\d)$/));
    });

  for (const wall of [DAY, -DAY])
    it(`follows the server when the clock is set by ${wall / DAY} day during payment`, async () => {
      server.state = holding(10 * MINUTE);
      const { element, events } = await open();
      await until(() => FakeStream.all.length === 1);
      const shown = new Set<string>();
      moveClocks({ wall });
      for (let round = 0; round < 20; round++) {
        shown.add(timer(element));
        await pause(20);
      }
      expect(
        [...shown].every((text) => /^(10:00|09:5\d)$/.test(text)),
        [...shown].join(),
      ).to.equal(true);
      expect(events.map(({ type }) => type)).to.deep.equal(['checkout-ready']);
    });

  it('advances over a sleep that paused the steady clock', async () => {
    server.state = holding(10 * MINUTE);
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    FakeStream.all[0]!.send(holding(10 * MINUTE));
    server.state = holding(4 * MINUTE, { now: 6 * MINUTE });
    moveClocks({ wall: 6 * MINUTE });
    await until(() => timer(element).match(/^0(4:00|3:5\d)$/), 'the time that is really left');
  });

  it('advances over a sleep that ended without a connection', async () => {
    server.state = holding(10 * MINUTE);
    const { element } = await open();
    await until(() => FakeStream.all.length === 1);
    server.state = new TypeError('Failed to fetch');
    FakeStream.all[0]!.fail();
    moveClocks({ wall: 6 * MINUTE });
    await until(() => timer(element).match(/^0(4:00|3:5\d)$/), 'the time that is really left');
    expect(hasAddress(element)).to.equal(true);
    moveClocks({ wall: 60 * MINUTE });
    window.dispatchEvent(new Event('focus'));
    await until(() => textOf(element).includes('A payment you have sent is safe'));
    expect(hasAddress(element)).to.equal(true);
  });
});
