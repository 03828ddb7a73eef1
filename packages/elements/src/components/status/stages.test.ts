import { aTimeout, expect } from '@open-wc/testing';
import { STAGES } from '@crypto-checkout/protocol/checkout';
import type { CheckoutChangeEvent } from '../../events/checkout-events.ts';
import { CHECKS, EYE } from '../../status/icons.ts';
import { AFTERWARDS, CROSS, HOURGLASS, PART, SHIELD } from '../../status/trouble-texts.ts';
import { CHECK, CLOCK } from '../../styles/icons.ts';
import {
  COINS,
  REFUNDABLE,
  checkout,
  lightning,
  payment,
  xrp,
} from '../../../test/support/fixture.ts';
import {
  type FakeServer,
  deep,
  heading,
  open,
  settled,
  spoken,
  textOf,
  until,
  serveEach,
} from '../../../test/support/fake-server.ts';

describe('stages', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  const HEADINGS: Record<string, string> = {
    choose: 'Choose a coin',
    pay: 'Send exactly',
    underpaid: 'Partly paid',
    seen: 'Payment detected',
    paid: 'Payment complete',
    complete: 'Payment complete',
    expired: 'This price has expired',
    late: 'Your payment arrived late',
    held: 'Your payment is being checked',
    failed: 'The payment did not go through',
    'something new': 'Please wait',
  };

  for (const [stage, words] of Object.entries(HEADINGS)) {
    it(`announces ${stage} and is accessible in light and dark`, async () => {
      server.state = checkout(stage, { notes: ['test_network'] });
      const { element } = await open();
      expect(heading(element)).to.equal(words);
      expect(textOf(element)).to.contain('Test network');
      for (const theme of ['light', 'dark']) {
        element.setAttribute('theme', theme);
        await expect(element).to.be.accessible();
      }
    });
  }

  /** Sentence, icon, next step and further event of each stage. */
  const EXPECTED: Record<
    string,
    [says: string, picture: string | undefined, next: string, ...events: string[]]
  > = {
    choose: ['You’ll see the exact amount next.', undefined, 'picker'],
    pay: ['on Bitcoin', undefined, 'wallet-link'],
    underpaid: ['0.0004 BTC received. Send 0.00041234 BTC more.', PART, 'wallet-link'],
    seen: ['Waiting for the network to confirm it.', EYE, 'explorer-link'],
    paid: ['Thanks, you’re all set.', CHECK, 'receipt-link', 'checkout-paid'],
    complete: ['Confirmed and final.', CHECKS, 'receipt-link', 'checkout-paid'],
    expired: ['Don’t send the old amount.', HOURGLASS, 'renew-button'],
    late: ['It arrived after the price expired', AFTERWARDS, 'contact-link'],
    held: ['The shop is reviewing it.', SHIELD, 'contact-link'],
    failed: ['The network refused or replaced it.', CROSS, 'contact-link'],
    'something new': ['We detected your payment and are waiting for news.', CLOCK, 'contact-link'],
  };

  it('have different headings, sentences and icons', () => {
    expect(Object.keys(EXPECTED)).to.deep.equal(Object.keys(HEADINGS));
    expect(Object.keys(HEADINGS)).to.include.members([...STAGES]);
    // Paid and final look alike: for a buyer the first is the end.
    expect(new Set(Object.values(HEADINGS)).size).to.equal(Object.keys(HEADINGS).length - 1);
    const sentences = Object.values(EXPECTED).map(([says]) => says);
    const pictures = Object.values(EXPECTED).flatMap(([, picture]) => picture ?? []);
    for (const all of [sentences, pictures]) expect(new Set(all).size).to.equal(all.length);
  });

  for (const [stage, [says, picture, next, ...announced]] of Object.entries(EXPECTED)) {
    it(`shows sentence, icon, event and next step of ${stage}`, async () => {
      const merchant = {
        name: 'Quay & Co.',
        contact: 'https://shop.example/help',
        logo: null,
        legal: null,
      };
      server.state = checkout(stage === 'choose' ? 'pay' : 'choose', { merchant });
      const { element, events } = await open();
      server.state = checkout(stage, { version: 2, merchant });
      element.refresh();
      await until(() => heading(element) === HEADINGS[stage]);
      await settled(element);
      expect(textOf(element)).to.contain(says);
      expect(
        deep(element, '[part=badge] path').map((path) => path.getAttribute('d')),
      ).to.deep.equal(picture ? [picture] : []);
      expect(
        deep(element, `[part~="${next}"]`)[0]!.getClientRects().length,
        next,
      ).to.be.greaterThan(0);
      expect(events.map(({ type }) => type)).to.deep.equal([
        'checkout-ready',
        'checkout-change',
        ...announced,
      ]);
      const change = events[1] as CheckoutChangeEvent;
      expect([change.from, change.to]).to.deep.equal([
        stage === 'choose' ? 'pay' : 'choose',
        stage,
      ]);
    });
  }

  it('shows address, amount, code, wallet link and countdown', async () => {
    server.state = checkout('pay');
    const { element } = await open();
    const [amount, address] = deep(element, '[part=value]');
    expect(amount!.textContent).to.equal('0.00081234 BTC');
    expect(address!.textContent).to.equal('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    const code = deep(element, 'svg[role=img]')[0]!;
    expect(code.getAttribute('aria-label')).to.equal('QR code: 0.00081234 BTC on Bitcoin');
    expect(code.querySelector('path')!.getAttribute('d')).to.equal(
      checkout('pay').payment!.qr.path,
    );
    expect(code.getAttribute('viewBox')).to.match(/^-4 -4 \d+ \d+$/);
    expect(getComputedStyle(code).backgroundColor).to.equal('rgb(255, 255, 255)');
    expect(deep(element, '[part=wallet-link]')[0]!.getAttribute('href')).to.contain('bitcoin:bc1q');
    expect(deep(element, '[role=timer]')[0]!.textContent.trim()).to.equal('14:32');
    expect(deep(element, '[role=timer]')[0]!.ariaLabel).to.equal('Time left 14:32');
    expect(textOf(element)).to.contain('Send only BTC on Bitcoin');
  });

  it('shows an XRP tag as a second required value', async () => {
    server.state = xrp();
    const { element } = await open();
    expect(deep(element, '[part=value]').map((value) => value.textContent)).to.deep.equal([
      '21.55 XRP',
      'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3',
      '12345',
    ]);
    expect(textOf(element)).to.contain(
      'Without this tag, your payment can’t be matched to your order.',
    );
    expect(deep(element, '[part=wallet-link]')[0]!.getAttribute('href')).to.contain(
      'https://xaman.app/detect/',
    );
  });

  it('shows a lightning request in place of an address', async () => {
    server.state = lightning();
    const { element } = await open();
    expect(deep(element, '[part=value]')[1]!.textContent).to.equal(
      lightning().payment!.lightning!.payment_request,
    );
    expect(element.getBoundingClientRect().width).to.be.at.most(
      document.documentElement.clientWidth,
    );
  });

  it('shows the received and the missing amount', async () => {
    server.state = checkout('underpaid');
    const { element } = await open();
    expect(textOf(element)).to.contain('0.0004 BTC received. Send 0.00041234 BTC more.');
    expect(deep(element, '[part=value]')[0]!.textContent).to.equal('0.00041234 BTC');
    expect(textOf(element)).to.contain('Still to pay');
  });

  it('shows confirmations and a link to the explorer', async () => {
    server.state = checkout('seen');
    const { element } = await open();
    expect(textOf(element)).to.contain('1 of 2 confirmations');
    const link = deep(element, '[part=explorer-link]')[0] as HTMLAnchorElement;
    expect(link.href).to.equal('https://explorer.example/tx/387a2e9e');
    expect(link.rel).to.contain('noreferrer');
  });

  it('shows every note and ignores unknown ones', async () => {
    server.state = checkout('paid', {
      notes: ['overpaid', 'wrong_coin', 'replaced', 'paid_twice', 'brand_new'],
    });
    const { element } = await open();
    // The heading says that it was paid twice, which includes too much.
    expect(heading(element)).to.equal('You paid twice');
    expect(textOf(element).match(/paid more than once/g)).to.have.length(1);
    expect(textOf(element)).to.not.contain('You paid too much');
    expect(deep(element, '[part=note]')).to.have.length(2);
  });

  it('shows a reusable address without an amount', async () => {
    server.state = checkout('pay', {
      notes: ['reusable'],
      order: { order_id: null, description: null, amount: null },
      payment: payment({
        due: null,
        remaining: null,
        rate: null,
        expires_at: null,
        strings: { ...payment().strings, amount: null },
      }),
    });
    const { element } = await open();
    expect(deep(element, '[part=value]')).to.have.length(1);
    expect(textOf(element)).to.contain('any amount');
    expect(deep(element, '[role=timer]')).to.have.length(0);
  });

  it('links to the shop in every stage', async () => {
    for (const stage of Object.keys(HEADINGS)) {
      server.state = checkout(stage);
      const { element } = await open();
      expect((deep(element, '[part=shop-link]')[0] as HTMLAnchorElement).href).to.equal(
        'https://shop.example/orders/1042',
      );
      element.remove();
    }
  });

  it('links to the shop once', async () => {
    server.state = checkout('paid', { success_url: 'https://shop.example/thanks' });
    const { element } = await open();
    await until(() => deep(element, '[part=success-link]').length);
    expect(deep(element, '[part=shop-link]')).to.have.length(0);
  });

  it('has one main action where a payment in another coin can come back', async () => {
    const wrong = { ...checkout('paid').received[0]!, symbol: 'USDT', value: null, rate: null };
    server.state = checkout('expired', {
      notes: ['wrong_coin'],
      received: [wrong],
      refundable: [REFUNDABLE],
      payment: payment({ renewable: true, expires_at: '2026-11-21T11:59:00.000000+00:00' }),
    });
    const { element } = await open();
    await until(() => deep(element, '[part=refund-link]').length);
    expect(deep(element, '.primary').map((one) => one.getAttribute('part'))).to.deep.equal([
      'refund-link',
    ]);
    const sent = `${wrong.amount}\u00a0USDT`;
    expect(heading(element)).to.equal(`You sent ${sent}, not BTC`);
    const [link, list] = ['refund-link', 'transactions'].map(
      (part) => deep(element, `[part=${part}]`)[0]!.getBoundingClientRect().top,
    );
    expect(link).to.be.lessThan(list!);
    const text = textOf(element);
    expect(text.split('not BTC'), text).to.have.length(2);
    expect(text).to.not.contain('Ask the shop');
    const widths = ['refund-link', 'renew-button'].map(
      (part) => deep(element, `[part=${part}]`)[0]!.getBoundingClientRect().width,
    );
    expect(widths[0]).to.be.closeTo(widths[1]!, 1);
  });

  it('says what happened to the money, not to the price, before a refund can be asked for', async () => {
    const wrong = { ...checkout('paid').received[0]!, symbol: 'USDT', value: null, rate: null };
    const over = payment({ renewable: true, expires_at: '2026-11-21T11:59:00.000000+00:00' });
    for (const stage of ['pay', 'expired'])
      for (const refundable of [undefined, [{ ...REFUNDABLE, ready: false }]]) {
        server.state = checkout(stage, {
          notes: ['wrong_coin'],
          merchant: { ...checkout('pay').merchant, contact: 'https://shop.example/help' },
          received: [wrong],
          refundable,
          ...(stage === 'expired' && { payment: over }),
        });
        const { element } = await open();
        const says = refundable ? 'once the payment is final' : 'Ask the shop how to get it back';
        await until(() => textOf(element).includes(says), `${stage}: ${says}`);
        expect(heading(element)).to.equal(`You sent ${wrong.amount}\u00a0USDT, not BTC`);
        expect(
          deep(element, '.primary')
            .filter((one) => one.checkVisibility())
            .map(({ textContent }) => textContent.trim()),
        ).to.deep.equal(['Contact the shop']);
        element.remove();
      }
  });

  it('supports choosing and paying by keyboard, and keeps the focus', async () => {
    const { element } = await open();
    const radios = deep(element, 'input[type=radio]') as HTMLInputElement[];
    expect(radios).to.have.length(COINS.length);
    radios[3]!.focus();
    radios[3]!.click();
    const form = deep(element, 'form')[0] as HTMLFormElement;
    server.once(checkout('pay', { version: 2 }));
    server.state = checkout('pay', { version: 2 });
    form.requestSubmit();
    await until(() => heading(element) === 'Send exactly');
    await settled(element);
    expect(server.posts.at(-1)).to.include({
      path: '/checkouts/c8e1f0a9b2d34c5e6f708192a3b4c5d6/payment',
    });
    expect(server.posts.at(-1)!.body).to.deep.equal({ kind: radios[3]!.value });
    await until(() => deepActive() === deep(element, 'h2')[0], 'the heading has the focus');
    await until(() => spoken(element).startsWith('Send your payment'));
  });

  it('does not take the focus from the page', async () => {
    const outside = document.body.appendChild(document.createElement('button'));
    const { element } = await open();
    outside.focus();
    server.state = checkout('seen', { version: 2 });
    element.refresh();
    await until(() => heading(element) === 'Payment detected');
    await settled(element);
    expect(document.activeElement).to.equal(outside);
    outside.remove();
  });

  it('requests a new price', async () => {
    server.state = checkout('expired');
    const { element } = await open();
    server.state = checkout('pay', { version: 2 });
    (deep(element, '[part=renew-button]')[0] as HTMLButtonElement).click();
    await until(() => heading(element) === 'Send exactly');
    expect(server.posts.at(-1)).to.include({
      path: '/checkouts/c8e1f0a9b2d34c5e6f708192a3b4c5d6/renew',
    });
  });

  it('finds coins by asset and by network', async () => {
    const { element } = await open();
    const search = deep(element, '[type=search]')[0] as HTMLInputElement;
    const visible = (): string[] =>
      (deep(element, 'input[type=radio]') as HTMLInputElement[])
        .filter((radio) => radio.offsetParent)
        .map(({ value }) => value);
    search.value = 'usdt tron';
    search.dispatchEvent(new Event('input'));
    // The search is loaded when it is first used.
    await until(() => visible().join() === 'USDT-TRX');
    search.value = 'nothing like it';
    search.dispatchEvent(new Event('input'));
    await settled(element);
    expect(visible()).to.deep.equal([]);
    expect(textOf(element)).to.contain('No coins match');
  });

  it('has 44-pixel targets and no horizontal scrolling at 320 pixels', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '320px';
    for (const stage of ['choose', 'pay', 'seen', 'expired']) {
      server.state =
        stage === 'pay' ? xrp() : checkout(stage, { notes: ['test_network', 'overpaid'] });
      const { element } = await open();
      frame.append(element);
      await settled(element);
      await aTimeout(20);
      expect(frame.scrollWidth, stage).to.be.at.most(320);
      for (const target of deep(element, 'button, a.button, label, summary').filter(
        (one) => one.offsetParent,
      ))
        expect(
          target.getBoundingClientRect().height,
          `${stage}: ${target.textContent}`,
        ).to.be.at.least(43.9);
      element.remove();
    }
    frame.remove();
  });

  it('fits a long order id and a large amount into the card', async () => {
    const frame = document.body.appendChild(document.createElement('div'));
    frame.style.width = '320px';
    const amount = { amount: '123456789.00', currency: 'USD' };
    server.state = checkout('pay', {
      order: { order_id: 'x'.repeat(64), description: 'y'.repeat(40), amount },
    });
    const { element } = await open();
    frame.append(element);
    await settled(element);
    await until(() => deep(element, '[part=footer] small').length);
    const card = deep(element, '[part=base]')[0]!.getBoundingClientRect();
    for (const one of deep(
      element,
      '[part=total], [part=merchant], [part=footer] small, [part=shop-link]',
    ))
      expect(one.getBoundingClientRect().right, one.textContent).to.be.at.most(card.right);
    const total = deep(element, '[part=total]')[0]!;
    const range = document.createRange();
    // Lit's comments hold random digits.
    const text = [...total.childNodes].find(
      (node): node is Text => node instanceof Text && node.data.includes('123'),
    )!;
    range.setStart(text, 0);
    range.setEnd(text, '123,456,789.00'.length);
    expect(new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size).to.equal(1);
    frame.remove();
  });

  it('shows one row of steps for confirmations, which never shrinks; the receipt shows finality', async () => {
    const story: [string, number][] = [
      ['seen', 0],
      ['seen', 1],
      ['paid', 2],
      ['paid', 4],
      ['complete', 6],
    ];
    const bars: string[] = [];
    for (const [at, [stage, have]] of story.entries()) {
      server.state = checkout(stage, {
        version: at + 1,
        payment: payment({ confirmations: { have, need: 2, final: 6 } }),
      });
      const { element } = await open();
      await settled(element);
      bars.push(
        deep(element, '.steps').map(
          (bar) => `${bar.querySelectorAll('.done').length} of ${bar.children.length}`,
        )[0] ?? '',
      );
      element.show = 'receipt';
      await until(() => deep(element, '[part=receipt]').length);
      if (stage === 'paid')
        expect(textOf(element)).to.contain(
          `Payment complete. Not final yet. ${have} of 6 confirmations.`,
        );
      element.remove();
    }
    expect(bars).to.deep.equal(['0 of 2', '1 of 2', '', '', '']);
  });

  it('moves while a single confirmation is awaited', async () => {
    server.state = checkout('seen', {
      payment: payment({ confirmations: { have: 0, need: 1, final: 6 } }),
    });
    const { element } = await open();
    await settled(element);
    const steps = deep(element, '.steps i');
    expect(steps.map((step) => getComputedStyle(step).animationName)).to.deep.equal(['pulse']);
    await expect(element).to.be.accessible();
  });

  it('shows the alert icon on warnings only', async () => {
    server.state = checkout('seen', { notes: ['test_network', 'wrong_coin'] });
    const { element } = await open();
    await until(() => deep(element, '[part=note]').length > 1);
    const drawings = deep(element, '[part=note]').map((note) => [
      note.textContent.trim().split(' ', 2).join(' '),
      note.querySelector('path')!.getAttribute('d')!.includes('20h20z'),
    ]);
    expect(drawings).to.deep.equal([
      ['Test network:', false],
      ['It doesn’t', true],
    ]);
  });

  it('links to the hosted page with mode="redirect"', async () => {
    const { element } = await open({ mode: 'redirect' });
    const link = deep(element, '[part=redirect-link]')[0] as HTMLAnchorElement;
    expect(link.href).to.equal('https://pay.example/pay/c8e1f0a9b2d34c5e6f708192a3b4c5d6/');
    await expect(element).to.be.accessible();
  });
});

function deepActive(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}
