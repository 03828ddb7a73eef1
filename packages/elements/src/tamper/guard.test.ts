import { expect } from '@open-wc/testing';
import { encodeQr } from '@crypto-checkout/protocol/qr';
import type { CheckoutErrorEvent, CryptoAddress, CryptoCheckout } from '../index.ts';
import {
  bitcoinWithLightning,
  checkout,
  lightning,
  payment,
  xrp,
} from '../../test/support/fixture.ts';
import {
  type FakeServer,
  deep,
  open,
  pause,
  settled,
  textOf,
  until,
  serveEach,
} from '../../test/support/fake-server.ts';

/** An address of another person. */
const EVIL = 'bc1q0000000000000000000000000000000000evil';

type Attack = (element: CryptoCheckout) => void;
const inner = (element: CryptoCheckout, tag: string): ShadowRoot =>
  deep(element, tag)[0]!.shadowRoot!;

const ATTACKS: Record<string, Attack> = {
  'writes another address': (element) => {
    inner(element, 'crypto-address').querySelector('[part=value]')!.textContent = EVIL;
  },
  'changes one character of the address': (element) => {
    const strong = inner(element, 'crypto-address').querySelector('[part=value] strong')!;
    const text = [...strong.childNodes].find(
      (node): node is Text => node instanceof Text && node.data !== '',
    )!;
    text.data = text.data.replace('bc1qcr', 'bc1qce');
  },
  'changes the text through the nodes that Lit keeps': (element) => {
    const walker = document.createTreeWalker(
      inner(element, 'crypto-address'),
      NodeFilter.SHOW_TEXT,
    );
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      if (node.data.includes('306fyu')) node.replaceWith('30evil');
    }
  },
  'sets a property of the inner part': (element) => {
    (deep(element, 'crypto-address')[0] as CryptoAddress).address = EVIL;
  },
  'asks for more': (element) => {
    inner(element, 'crypto-amount').querySelector('[part=value] b')!.textContent = '8.1234';
  },
  'sets the amount as a property': (element) => {
    (deep(element, 'crypto-amount')[0] as HTMLElement & { amount: string }).amount = '8.1234';
  },
  'changes the code': (element) => {
    inner(element, 'crypto-qr')
      .querySelector('path')!
      .setAttribute('d', encodeQr(`bitcoin:${EVIL}`).path);
  },
  'sets the code as a property': (element) => {
    (deep(element, 'crypto-qr')[0] as HTMLElement & { path: string }).path = encodeQr(
      `bitcoin:${EVIL}`,
    ).path;
  },
  'lays a picture over the code': (element) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 200;
    inner(element, 'crypto-qr').append(canvas);
  },
  'draws a second path into the code': (element) => {
    const path = inner(element, 'crypto-qr').querySelector('path')!;
    path.after(path.cloneNode());
  },
  'changes the wallet link': (element) => {
    deep(element, '[part=wallet-link]')[0]!.setAttribute(
      'href',
      `bitcoin:${EVIL}?amount=0.00081234`,
    );
  },
  'makes the wallet link a page': (element) => {
    deep(element, '[part=wallet-link]')[0]!.setAttribute('href', 'https://evil.example/pay');
  },
  'adds a link of its own': (element) => {
    const link = document.createElement('a');
    link.href = `bitcoin:${EVIL}`;
    link.textContent = 'Pay';
    element.shadowRoot!.querySelector('[part=stage]')!.append(link);
  },
  'puts its own address in place of ours': (element) => {
    const fake = document.createElement('p');
    fake.textContent = `Address ${EVIL}`;
    deep(element, 'crypto-address')[0]!.replaceWith(fake);
  },
  'takes the amount away': (element) => deep(element, 'crypto-amount')[0]!.remove(),
  'changes every view that the element hands out': (element) => {
    const change = (): void => {
      const view = element.checkout as {
        payment: { address: string; strings: { address: string } };
      };
      view.payment.address = view.payment.strings.address = EVIL;
      element.requestUpdate();
      if (element.isConnected) requestAnimationFrame(change);
    };
    change();
  },
  'hands in a view of its own': (element) => {
    const view = structuredClone(element.checkout!);
    element.snapshot = {
      ...view,
      payment: {
        ...view.payment!,
        address: EVIL,
        strings: { ...view.payment!.strings, address: EVIL },
      },
    };
  },
};

describe('the tamper check of an inline checkout', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));

  const watched = async (
    view = checkout('pay'),
  ): Promise<{ element: CryptoCheckout; events: Event[] }> => {
    server.state = view;
    const opened = await open();
    await until(() => deep(opened.element, '[part=large]').length, 'the hand-off');
    await settled(opened.element);
    return opened;
  };
  const isHidden = (element: CryptoCheckout): boolean =>
    deep(element, 'crypto-status')[0]?.checkVisibility() === false;
  const errors = (events: Event[]): string[] =>
    events
      .filter(({ type }) => type === 'checkout-error')
      .map((event) => (event as CheckoutErrorEvent).code);

  it('reads satoshis with the grouping of the language', async () => {
    const { element, events } = await watched(lightning());
    for (const locale of ['fr', 'de', 'en']) {
      element.locale = locale;
      await until(() => textOf(element).includes(locale === 'en' ? '81,234' : '81'));
      await pause(300);
      expect(errors(events)).to.deep.equal([]);
    }
    inner(element, 'crypto-amount').querySelector('[part=value] b')!.textContent = '81,235';
    await until(() => errors(events).length, 'an error');
  });

  it('detects a script that takes one of an address and a lightning request away', async () => {
    for (const at of [0, 1]) {
      const { element, events } = await watched(bitcoinWithLightning());
      expect(errors(events)).to.deep.equal([]);
      inner(element, 'crypto-address').querySelectorAll('[part=field]')[at]!.remove();
      await until(() => errors(events).length, 'an error');
      expect(errors(events)).to.deep.equal(['tampered']);
      expect(isHidden(element)).to.equal(true);
      element.remove();
    }
  });

  for (const [name, attack] of Object.entries(ATTACKS))
    it(`detects a script that ${name}`, async () => {
      const { element, events } = await watched();
      attack(element);
      await until(() => isHidden(element), 'hidden');
      await until(() => textOf(element).includes('Please do not pay here'));
      expect(errors(events)).to.deep.equal(['tampered']);
      const links = deep(element, '[part=shop-link]').filter((one) => one.checkVisibility());
      expect(links).to.have.length(1);
      expect(links[0]!.getAttribute('href')).to.equal('https://shop.example/orders/1042');
      const link = deep(element, '[part=guard-link]')[0] as HTMLAnchorElement;
      expect(link.href).to.equal('https://pay.example/pay/c8e1f0a9b2d34c5e6f708192a3b4c5d6/');
      await expect(element).to.be.accessible();
    });

  it('logs the changed element once', async () => {
    const usual = console.error;
    const said: unknown[][] = [];
    console.error = (...words) => void said.push(words);
    try {
      const { element } = await watched();
      ATTACKS['takes the amount away']!(element);
      await until(() => isHidden(element), 'hidden');
      const about = said.filter(([words]) =>
        String(words).startsWith('crypto-checkout: another script changed the payment details'),
      );
      expect(about.map(([, where]) => where)).to.deep.equal([element]);
    } finally {
      console.error = usual;
    }
  });

  it('detects a changed link of a named wallet', async () => {
    Object.defineProperty(navigator, 'userAgent', {
      configurable: true,
      value: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)',
    });
    try {
      const { element, events } = await watched();
      const link = deep(element, '[part=wallet]')[0] as HTMLAnchorElement;
      await pause(400);
      expect(errors(events)).to.deep.equal([]);
      link.href = link.href.replace('amount=0.0008', 'amount=0.8');
      await until(() => isHidden(element));
    } finally {
      delete (navigator as { userAgent?: unknown }).userAgent;
    }
  });

  it('detects removed content right after an update without visible changes', async () => {
    const { element } = await watched();
    await pause(300);
    const before = element.checkout;
    server.state = checkout('pay', { version: 2 });
    element.refresh();
    await until(() => element.checkout !== before);
    await element.updateComplete;
    ATTACKS['takes the amount away']!(element);
    await until(() => isHidden(element), 'hidden');
  });

  it('accepts a paid reusable address without an amount', async () => {
    const { due, strings } = payment();
    const paid = {
      due: null,
      remaining: null,
      rate: null,
      expires_at: null,
      paid: due!,
      strings: { ...strings, amount: null },
    };
    const { element, events } = await watched(
      checkout('pay', { notes: ['reusable'], payment: payment(paid) }),
    );
    await pause(500);
    expect(errors(events)).to.deep.equal([]);
    deep(element, 'crypto-address [part=value], [part=value]')[0]!.textContent = EVIL;
    await until(() => isHidden(element), 'hidden');
  });

  it('detects a changed tag', async () => {
    const { element } = await watched(xrp());
    [...deep(element, '[part=value]')].at(-1)!.textContent = '54321';
    await until(() => isHidden(element));
  });

  it('keeps the warning whatever the script removes', async () => {
    const { element, events } = await watched();
    ATTACKS['writes another address']!(element);
    await until(() => isHidden(element));
    element.shadowRoot!.querySelector('[part=base]')!.removeAttribute('hidden');
    await until(() => isHidden(element));
    element.shadowRoot!.lastElementChild!.remove();
    await until(() => textOf(element).includes('Please do not pay here'));
    expect(errors(events)).to.deep.equal(['tampered']);
  });

  it('accepts our own changes: stages, amounts, coins, languages, copying, the large code', async () => {
    const { element, events } = await watched();
    const views = [
      checkout('underpaid', { version: 2 }),
      { ...xrp(), version: 3 },
      checkout('seen', { version: 4 }),
      checkout('paid', { version: 5 }),
      checkout('pay', {
        version: 6,
        payment: payment({
          invoice_id: 'another',
          address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv',
        }),
      }),
    ];
    for (const view of views) {
      server.state = view;
      element.refresh();
      await until(() => element.checkout?.version === view.version);
      await settled(element);
      await pause(60);
    }
    for (const locale of ['de', 'ar', 'en']) {
      element.locale = locale;
      await settled(element);
      await pause(60);
    }
    deep(element, '[part=large]')[0]!.click();
    deep(element, '[part=copy-button]')[0]!.click();
    element.show = 'coins';
    await settled(element);
    await pause(500);
    expect(errors(events)).to.deep.equal([]);
    expect(isHidden(element)).to.equal(false);
  });

  it('accepts browser translation around the values', async () => {
    const { element, events } = await watched();
    for (const root of [
      element.shadowRoot!,
      ...deep(element, '*').flatMap(({ shadowRoot }) => shadowRoot ?? []),
    ]) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      for (const text of texts) {
        const kept = text.parentElement?.closest('[translate=no], style');
        if (kept || !text.data.trim()) continue;
        // Markup of a translation tool.
        const font = document.createElement('font');
        font.textContent = `übersetzt: ${text.data}`;
        text.replaceWith(font);
      }
    }
    await pause(500);
    expect(errors(events)).to.deep.equal([]);
  });

  it('ends with the element', async () => {
    const { element, events } = await watched();
    element.remove();
    ATTACKS['writes another address']!(element);
    await pause(500);
    expect(errors(events)).to.deep.equal([]);
  });
});
