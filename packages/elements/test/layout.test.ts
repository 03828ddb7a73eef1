import { expect } from '@open-wc/testing';
import { checkout } from './support/fixture.ts';
import {
  type FakeServer,
  deep,
  heading,
  open,
  settled,
  textOf,
  until,
  serveEach,
} from './support/fake-server.ts';
import { SITUATIONS } from './support/situations.ts';

describe('the layout of every stage', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  for (const [name, { view, heading: title, says, next }] of Object.entries(SITUATIONS)) {
    it(`${name}: has its own texts and a next step`, async () => {
      server.state = view;
      const { element } = await open();
      expect(heading(element)).to.equal(title);
      expect(textOf(element)).to.contain(says);
      for (const part of next) {
        const [way] = deep(element, `[part~="${part}"]`);
        expect(way?.getClientRects().length, part).to.be.greaterThan(0);
      }
    });

    for (const [locale, direction] of [
      ['en', 'ltr'],
      ['ar', 'rtl'],
    ] as const)
      it(`${name}: is accessible in light and dark, ${direction}`, async () => {
        server.state = view;
        const { element } = await open({ locale });
        expect(element.shadowRoot!.querySelector('[part=base]')!.getAttribute('dir')).to.equal(
          direction,
        );
        // One heading, and no skipped level.
        expect(deep(element, 'h1, h2, h3, h4').map(({ localName }) => localName)).to.deep.equal([
          'h2',
        ]);
        await until(() => deep(element, '[aria-live]').length, 'a live region');
        expect(
          deep(element, '[role=status], [aria-live]').map((one) => one.ariaLive),
        ).to.deep.equal(['polite']);
        for (const theme of ['light', 'dark']) {
          element.setAttribute('theme', theme);
          await expect(element).to.be.accessible();
        }
      });

    it(`${name}: fits into 320 pixels, with large enough targets`, async () => {
      const frame = document.body.appendChild(document.createElement('div'));
      frame.style.width = '320px';
      server.state = view;
      // German has the longest words of all supported languages.
      for (const locale of ['en', 'de']) {
        const { element } = await open({ locale });
        frame.append(element);
        await settled(element);
        expect(frame.scrollWidth, locale).to.be.at.most(320);
        const targets = deep(element, 'button, a.button, label, summary, [part=footer] a').filter(
          (one) => one.getClientRects().length,
        );
        for (const target of targets)
          expect(
            target.getBoundingClientRect().height,
            `${locale}: ${target.textContent}`,
          ).to.be.at.least(43.9);
        for (const link of deep(element, 'a').filter((one) => one.getClientRects().length))
          expect(
            link.getBoundingClientRect().height,
            `${locale}: ${link.textContent}`,
          ).to.be.at.least(24);
        element.remove();
      }
      frame.remove();
    });
  }

  it('breaks no word of a choice and no order id that fits on one line of a small phone', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '290px';
    const linesOf = (one: Element): number => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set(
        [...range.getClientRects()]
          .filter(({ width }) => width > 0)
          .map(({ top }) => Math.round(top)),
      ).size;
    };
    const view = checkout('pay');
    server.state = { ...view, order: { ...view.order, order_id: '20261042-1178' } };
    for (const locale of ['en', 'de', 'ja']) {
      const { element } = await open({ locale });
      frame.append(element);
      await settled(element);
      await until(
        () =>
          deep(element, '[part=twins] button').length === 3 &&
          deep(element, '[part=footer] small').length,
        'choice and footer',
      );
      for (const one of deep(element, '[part=twins] button, [part=footer] small'))
        expect(linesOf(one), `${locale}: ${one.textContent}`).to.equal(1);
      expect(frame.scrollWidth).to.be.at.most(290);
      element.remove();
    }
    frame.remove();
  });

  it('links to the help of the shop only with a valid address', async () => {
    for (const [contact, link] of [
      ['mailto:help@shop.example?subject=Order', 'mailto:help@shop.example?subject=Order'],
      ['https://shop.example/help', 'https://shop.example/help'],
      ['javascript:alert(1)', undefined],
      ['mailto:', undefined],
      ['mailto:a@b"onclick=x', undefined],
      ['//evil.example', undefined],
      [null, undefined],
    ] as const) {
      const { view } = SITUATIONS['held']!;
      server.state = { ...view, merchant: { ...view.merchant, contact } };
      const { element } = await open();
      expect(
        deep(element, '[part=contact-link]')[0]?.getAttribute('href'),
        String(contact),
      ).to.equal(link);
      element.remove();
    }
  });

  it('names coin, network and amount in the label of the code', async () => {
    for (const [name, locale, label] of [
      ['pay', 'en', 'QR code: 0.00081234 BTC on Bitcoin'],
      ['pay, a token', 'en', 'QR code: USDT on TRON (TRC20). Amount: 49.93 USDT.'],
      ['pay, a token', 'de', 'QR-Code: USDT über TRON (TRC20). Betrag: 49,93 USDT.'],
      ['pay, from an exchange', 'en', 'QR code: USDT on TRON (TRC20). Amount: 49.93 USDT.'],
      ['pay, XRP', 'en', 'QR code: XRP on XRP Ledger. Amount: 21.55 XRP.'],
      ['pay, any amount', 'en', 'QR code: BTC on Bitcoin'],
    ] as const) {
      server.state = SITUATIONS[name]!.view;
      const { element } = await open({ locale });
      await until(
        () => deep(element, 'svg[role=img]')[0]?.getAttribute('aria-label') !== 'QR',
        'a name',
      );
      expect(deep(element, 'svg[role=img]')[0]!.getAttribute('aria-label'), name).to.equal(label);
      element.remove();
    }
  });

  it('clips neither the mark of the coin nor the badge of its network', async () => {
    server.state = SITUATIONS['pay, a token']!.view;
    const { element } = await open();
    await until(() => deep(element, '.chip svg .rim').length, 'the badge');
    const drawing = deep(element, '.chip svg')[0]!;
    const badge = drawing.querySelector('.rim')!.getBoundingClientRect();
    expect(badge.right).to.be.above(drawing.getBoundingClientRect().right);
    expect(getComputedStyle(drawing).overflow).to.equal('visible');
    expect(getComputedStyle(drawing.parentElement!).overflow).to.equal('visible');
  });

  it('aligns every line of a payment with the writing direction', async () => {
    server.state = SITUATIONS['paid']!.view;
    const { element } = await open({ locale: 'ar' });
    await until(() => deep(element, 'li').length);
    const [item] = deep(element, 'li');
    const [sum, facts] = [...item!.querySelectorAll(':scope > div > *')].map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return range.getBoundingClientRect().right;
    });
    expect(sum).to.be.closeTo(facts!, 1);
  });

  it('has the same reading and visual order', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '360px';
    for (const name of ['pay', 'pay, from an exchange', 'late', 'paid']) {
      server.state = SITUATIONS[name]!.view;
      const { element } = await open();
      frame.append(element);
      await settled(element);
      const stops = deep(element, 'button, a[href], summary, input:not([type=hidden])').filter(
        (one) => one.getClientRects().length,
      );
      expect(stops.length).to.be.greaterThan(2);
      expect(stops.filter((one) => one.tabIndex > 0)).to.have.length(0);
      const tops = stops.map((one) => one.getBoundingClientRect().top);
      for (const [index, top] of tops.entries())
        if (index)
          expect(top, `${name}: ${stops[index]!.textContent}`).to.be.at.least(
            tops[index - 1]! - 12,
          );
      element.remove();
    }
    frame.remove();
  });

  it('shows the code below the amount in a narrow column of a desktop', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '416px';
    server.state = SITUATIONS['pay']!.view;
    const { element } = await open();
    frame.append(element);
    await until(() => deep(element, '[part=large]').length, 'the hand-off');
    const tops = ['amount', 'qr', 'wallet-link', 'address'].map(
      (part) => deep(element, `[part=${part}]`)[0]!.getBoundingClientRect().top,
    );
    expect(tops).to.deep.equal(tops.toSorted((a, b) => a - b));
    frame.remove();
  });

  it('is read column by column in two columns', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '760px';
    server.state = SITUATIONS['pay']!.view;
    const { element } = await open();
    frame.append(element);
    await until(() => deep(element, '[part=large]').length, 'the hand-off');
    const places = ['copy-button', 'wallet-link', 'share', 'large'].map(
      (part) => deep(element, `[part=${part}]`)[0]!,
    );
    const code = deep(element, '[part=image]')[0]!.getBoundingClientRect();
    const [copy, link, share, large] = places.map((one) => one.getBoundingClientRect()) as [
      DOMRect,
      DOMRect,
      DOMRect,
      DOMRect,
    ];
    for (const one of [copy, link, share, large]) expect(one.left).to.be.above(code.right);
    expect(link.top).to.be.above(copy.bottom);
    expect(share.top).to.be.above(link.bottom);
    expect(large.left).to.be.above(share.left);
    const order = deep(element, 'a[href], button').filter((one) => places.includes(one));
    expect(
      order.map((one) => one.getAttribute('part')).filter((part, at, all) => part !== all[at - 1]),
    ).to.deep.equal(places.map((one) => one.getAttribute('part')));
    frame.remove();
  });

  it('breaks a heading beside icon and countdown into at most two lines on a phone', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '358px';
    server.state = SITUATIONS['underpaid']!.view;
    const { element } = await open();
    frame.append(element);
    await settled(element);
    const title = deep(element, 'h2')[0]!;
    expect(
      title.getBoundingClientRect().height / parseFloat(getComputedStyle(title).lineHeight),
    ).to.be.below(2.1);
    frame.remove();
  });
});
