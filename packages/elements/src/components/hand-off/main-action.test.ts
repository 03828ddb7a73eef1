import { expect } from '@open-wc/testing';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CryptoCheckout } from '../../index.ts';
import { checkout, lightning, payment } from '../../../test/support/fixture.ts';
import {
  deep,
  open,
  serveEach,
  settled,
  spoken,
  until,
} from '../../../test/support/fake-server.ts';
import type { FakeServer } from '../../../test/support/fake-server.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)';
const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64)';
const ETHEREUM = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const SOLANA = 'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb';

const paid = (symbol: string, address: string, link: string): Checkout =>
  checkout('pay', {
    payment: payment({
      kind: symbol,
      symbol,
      address,
      strings: { qr: address, link, address, amount: '0.001', tag: null },
    }),
  });
const ether = (): Checkout =>
  paid('ETH', ETHEREUM, `ethereum:${ETHEREUM}@1?value=1000000000000000`);
const sol = (): Checkout => paid('SOL', SOLANA, `solana:${SOLANA}?amount=0.001`);

/** Sets a browser feature until the end of the test. */
const had: (() => void)[] = [];
function has(object: object, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { configurable: true, writable: true, value });
  had.push(() =>
    before
      ? Object.defineProperty(object, name, before)
      : delete (object as Record<string, unknown>)[name],
  );
}
function answers(asked: string, answer: (event: Event) => void): void {
  addEventListener(asked, answer);
  had.push(() => removeEventListener(asked, answer));
}

/** Wallets of a desktop, in the three ways in which a browser can have one. */
const WALLETS: Readonly<Record<string, readonly [view: () => Checkout, add: () => void]>> = {
  'EIP-6963': [
    ether,
    () =>
      answers('eip6963:requestProvider', () =>
        dispatchEvent(
          new CustomEvent('eip6963:announceProvider', {
            detail: {
              info: { uuid: 'one', name: 'Wallet' },
              provider: { request: async () => [] },
            },
          }),
        ),
      ),
  ],
  WebLN: [
    lightning,
    () => has(globalThis, 'webln', { enable: async () => {}, sendPayment: async () => {} }),
  ],
  'the Wallet Standard': [
    sol,
    () =>
      answers('wallet-standard:app-ready', (event) =>
        (event as CustomEvent<{ register(wallet: unknown): void }>).detail.register({
          name: 'Wallet',
          chains: ['solana:mainnet'],
          features: {
            'standard:connect': { connect: async () => ({ accounts: [] }) },
            'solana:signAndSendTransaction': { signAndSendTransaction: async () => [] },
          },
        }),
      ),
  ],
};

describe('the main action of the pay screen', () => {
  let server: FakeServer;
  serveEach((started) => (server = started));
  beforeEach(() => {
    has(navigator, 'userAgent', DESKTOP);
    has(document, 'hasFocus', () => true);
  });
  afterEach(() => {
    for (const undo of had.splice(0).toReversed()) undo();
  });

  async function shown(view: Checkout): Promise<CryptoCheckout> {
    server.state = view;
    const { element } = await open();
    await until(() => deep(element, '[part=large]').length, 'the hand-off');
    await settled(element);
    return element;
  }
  /** Parts of all visible buttons and links in the accent colour. */
  function filled(element: CryptoCheckout): (string | null)[] {
    const probe = element
      .shadowRoot!.querySelector('[part=base]')!
      .appendChild(document.createElement('i'));
    probe.style.background = 'var(--_accent)';
    const accent = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return deep(element, 'a, button, .button')
      .filter((one) => one.checkVisibility() && getComputedStyle(one).backgroundColor === accent)
      .map((one) => one.getAttribute('part'));
  }

  for (const [how, [view, add]] of Object.entries(WALLETS))
    it(`is a wallet in the browser, found by ${how}, and no other button`, async () => {
      add();
      server.transaction = Uint8Array.from([1]);
      const element = await shown(view());
      await until(() => deep(element, '[part=wallet-button]').length, 'the wallet');
      await settled(element);
      expect(filled(element)).to.deep.equal(['wallet-button']);
      const [wallet, link] = ['wallet-button', 'wallet-link'].map((part) =>
        deep(element, `[part~=${part}]`)[0]?.getBoundingClientRect(),
      );
      if (link?.height) expect(wallet!.top).to.be.at.most(link.top);
    });

  it('is none on a desktop without a wallet: a code is scanned', async () => {
    const element = await shown(ether());
    expect(filled(element)).to.deep.equal([]);
    expect(deep(element, '[part~=wallet-link]')[0]!.checkVisibility()).to.equal(true);
  });

  for (const [agent, sentence] of [
    [DESKTOP, 'No wallet app opened. Scan the code with your phone instead.'],
    [IPHONE, 'No wallet app opened. Copy the amount and address instead.'],
  ] as const)
    it(`says what else helps when no app opened: ${sentence}`, async () => {
      has(navigator, 'userAgent', agent);
      const element = await shown(ether());
      const link = deep(element, '[part~=wallet-link]')[0] as HTMLAnchorElement;
      // The test's browser has no wallet either, and may ask about the scheme.
      link.addEventListener('click', (event) => event.preventDefault());
      link.click();
      await until(() => spoken(element) === sentence, sentence);
      await settled(element);
      expect(
        deep(element, '[part~=note]').some((note) => note.textContent.trim() === sentence),
      ).to.equal(true);
    });

  it('says nothing when an app took the focus', async () => {
    const element = await shown(ether());
    const link = deep(element, '[part~=wallet-link]')[0] as HTMLAnchorElement;
    link.addEventListener('click', (event) => event.preventDefault());
    let looked = 0;
    has(document, 'hasFocus', () => {
      looked += 1;
      return false;
    });
    link.click();
    await until(() => looked, 'the look at the focus');
    await settled(element);
    expect(spoken(element)).to.not.contain('No wallet app');
  });
});
