import { expect } from '@open-wc/testing';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CryptoCheckout } from '../../index.ts';
import {
  bitcoinWithLightning,
  checkout,
  lightning,
  payment,
} from '../../../test/support/fixture.ts';
import {
  FakeServer,
  deep,
  heading,
  open,
  pause,
  settled,
  spoken,
  textOf,
  until,
} from '../../../test/support/fake-server.ts';

const ADDRESS = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
let count = 0;
/** A unique payment in Ether, because each request is sent only once. */
const ether = (overrides: Partial<Checkout> = {}): Checkout => {
  const value = String(1_000_000_000_000_000 + (count += 1));
  const strings = {
    qr: ADDRESS,
    link: `ethereum:${ADDRESS}@1?value=${value}`,
    address: ADDRESS,
    amount: '0.001',
    tag: null,
  };
  return checkout('pay', {
    payment: payment({
      kind: 'ETH',
      name: 'Ethereum',
      network: 'Ethereum (ERC20)',
      symbol: 'ETH',
      address: ADDRESS,
      strings,
    }),
    ...overrides,
  });
};

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
const isPhone = (agent: string): void => has(navigator, 'userAgent', agent);
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)';
const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64)';

/** A wallet extension with EIP-6963. */
function announces(name: string, answer: (method: string) => unknown, icon?: string): void {
  const provider = { request: async ({ method }: { method: string }) => answer(method) };
  const listen = (): void =>
    void dispatchEvent(
      new CustomEvent('eip6963:announceProvider', {
        detail: { info: { uuid: name, name, icon }, provider },
      }),
    );
  addEventListener('eip6963:requestProvider', listen);
  had.push(() => removeEventListener('eip6963:requestProvider', listen));
}

const SOLANA_ADDRESS = 'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb';
/** A unique payment in Solana. */
const solana = (overrides: Partial<Checkout> = {}): Checkout => {
  const amount = `0.1${(count += 1)}`;
  const strings = {
    qr: SOLANA_ADDRESS,
    link: `solana:${SOLANA_ADDRESS}?amount=${amount}`,
    address: SOLANA_ADDRESS,
    amount,
    tag: null,
  };
  return checkout('pay', {
    payment: payment({
      kind: 'SOL',
      name: 'Solana',
      network: 'Solana',
      symbol: 'SOL',
      address: SOLANA_ADDRESS,
      strings,
    }),
    ...overrides,
  });
};

interface Had {
  chains?: readonly string[];
  late?: boolean;
  accounts?: readonly { address: string; chains: readonly string[] }[];
}

interface Signed {
  account: { address: string };
  chain: string;
  transaction: Uint8Array;
}

const NETWORKS = ['solana:mainnet', 'solana:devnet'];
/** A Solana wallet of the Wallet Standard, registered before or after the page. */
function registers(
  name: string,
  send: (input: Signed) => unknown,
  {
    chains = NETWORKS,
    late = false,
    accounts = [{ address: 'Payer', chains: NETWORKS }],
  }: Had = {},
): void {
  const wallet = {
    name,
    chains,
    features: {
      'standard:connect': { connect: async () => ({ accounts }) },
      'solana:signAndSendTransaction': {
        signAndSendTransaction: async (input: Signed) => [{ signature: await send(input) }],
      },
    },
  };
  type Api = { register(...wallets: unknown[]): void };
  const ready = (event: Event): void => (event as CustomEvent<Api>).detail.register(wallet);
  if (late)
    return void dispatchEvent(
      new CustomEvent('wallet-standard:register-wallet', {
        detail: ({ register }: Api) => register(wallet),
      }),
    );
  addEventListener('wallet-standard:app-ready', ready);
  had.push(() => removeEventListener('wallet-standard:app-ready', ready));
}

describe('crypto-hand-off', () => {
  let server: FakeServer;
  beforeEach(() => {
    server = new FakeServer();
    server.start();
    isPhone(DESKTOP);
  });
  afterEach(() => {
    server.stop();
    for (const undo of had.splice(0).toReversed()) undo();
    document.querySelectorAll('crypto-checkout').forEach((element) => element.remove());
  });

  const shown = async (view: Checkout): Promise<CryptoCheckout> => {
    server.state = view;
    const { element } = await open();
    await until(() => deep(element, '[part=large]').length, 'the hand-off');
    await settled(element);
    return element;
  };
  const buttons = (element: CryptoCheckout, part = 'wallet-button'): HTMLElement[] =>
    deep(element, `[part=${part}]`);
  const textsOf = (elements: HTMLElement[]): string[] =>
    elements.map(({ textContent }) => textContent.trim());

  it('offers no wallet where none can work', async () => {
    const element = await shown(ether());
    expect([...buttons(element), ...buttons(element, 'wallet')]).to.have.length(0);
    await expect(element).to.be.accessible();
  });

  it('lists the best wallets of a phone and collapses the others', async () => {
    isPhone(IPHONE);
    const element = await shown(lightning());
    const all = buttons(element, 'wallet');
    const visible = all.filter((one) => one.checkVisibility());
    expect(textsOf(visible)).to.deep.equal(['Cash App', 'Wallet of Satoshi', 'Phoenix']);
    expect(all.length).to.be.above(3);
    deep(element, '[part=wallets] summary')[0]!.click();
    expect(all.every((one) => one.checkVisibility())).to.equal(true);
    await expect(element).to.be.accessible();
  });

  it('draws the mark of each wallet app, in its place from the start', async () => {
    isPhone(IPHONE);
    const element = await shown(lightning());
    await until(() => deep(element, '[part=wallet] svg').length, 'the marks');
    const drawn = buttons(element, 'wallet').map((one) => one.querySelector('.spot')!.innerHTML);
    expect(new Set(drawn).size).to.equal(drawn.length);
    const [first] = buttons(element, 'wallet');
    const { width, height } = first!.querySelector('svg')!.getBoundingClientRect();
    expect(first!.querySelector('.spot')!.getBoundingClientRect()).to.include({ width, height });
    expect(textsOf([first!])).to.deep.equal(['Cash App']);
  });

  it('draws the own picture of an extension, and loads nothing for it', async () => {
    const picture = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>';
    announces('Drawn Wallet', () => null, picture);
    announces('Far Wallet', () => null, 'https://wallet.example/icon.png');
    announces('Plain Wallet', () => null, 'data:text/html,<p>no');
    const element = await shown(ether());
    await until(() => buttons(element).length === 3, 'the wallets');
    const pictures = buttons(element).map((one) => one.querySelector('img')?.src ?? null);
    expect(pictures).to.deep.equal([picture, null, null]);
    await expect(element).to.be.accessible();
  });

  it('sends a request to an extension, shows its answer, and leaves the stage to the server', async () => {
    let confirm: (hash: string) => void = () => {};
    announces('Some Wallet', (method) =>
      method === 'eth_requestAccounts'
        ? ['0xfrom']
        : method === 'eth_chainId'
          ? '0x1'
          : new Promise((resolve) => {
              confirm = resolve;
            }),
    );
    const element = await shown(ether());
    await until(() => buttons(element).length);
    const [button] = buttons(element);
    expect(button!.textContent.trim()).to.equal('Pay with Some Wallet');
    button!.focus();
    button!.click();
    await until(() => spoken(element) === 'Please confirm the payment in Some Wallet.');
    await settled(element);
    expect(button!.getAttribute('aria-disabled')).to.equal('true');
    // A page may move the element meanwhile: a second request would be paid as well.
    element.parentElement!.append(element);
    await until(() => buttons(element).length);
    await settled(element);
    expect(buttons(element)[0]!.getAttribute('aria-disabled')).to.equal('true');
    await pause(10);
    confirm('0xhash');
    await until(
      () =>
        spoken(element) === 'Some Wallet has sent the payment. It will show up here in a moment.',
    );
    await settled(element);
    expect(textOf(element)).to.contain('It will show up here in a moment.');
    expect(heading(element)).to.equal('Send exactly');
    expect(server.posts.map(({ path }) => path)).to.deep.equal(['/checkouts']);
    await expect(element).to.be.accessible();
  });

  it('sends a payment request once', async () => {
    let asked = 0;
    announces('Eager Wallet', (method) => {
      if (method === 'eth_sendTransaction') asked += 1;
      return method === 'eth_requestAccounts'
        ? ['0xfrom']
        : method === 'eth_chainId'
          ? '0x1'
          : '0xhash';
    });
    const element = await shown(ether());
    await until(() => buttons(element).length);
    for (let press = 0; press < 3; press++) buttons(element)[0]!.click();
    await until(() => textOf(element).includes('Eager Wallet has sent the payment.'));
    await settled(element);
    buttons(element)[0]!.click();
    await pause(30);
    expect(asked).to.equal(1);
  });

  it('distinguishes rejection, wrong network and unknown outcome', async () => {
    const no = Object.assign(new Error('no'), { code: 4001 });
    const sentences: [string, (method: string) => unknown, string][] = [
      [
        'No Wallet',
        (method) => (method === 'eth_requestAccounts' ? Promise.reject(no) : null),
        'No Wallet did not send the payment. Nothing was paid.',
      ],
      [
        'Far Wallet',
        (method) => (method === 'eth_requestAccounts' ? ['0xfrom'] : '0x5'),
        'Far Wallet could not switch to Ethereum (ERC20). Please switch it there and try again.',
      ],
      [
        'Odd Wallet',
        (method) =>
          method === 'eth_requestAccounts'
            ? ['0xfrom']
            : method === 'eth_chainId'
              ? '0x1'
              : Promise.reject(new Error('?')),
        'Odd Wallet did not say whether it paid. Please look there before you pay again.',
      ],
    ];
    for (const [name, answer] of sentences) announces(name, answer);
    const element = await shown(ether());
    await until(() => buttons(element).length === sentences.length);
    for (const [index, [name, , sentence]] of sentences.entries()) {
      expect(buttons(element)[index]!.textContent.trim()).to.equal(`Pay with ${name}`);
      buttons(element)[index]!.click();
      await until(() => textOf(element).includes(sentence), sentence);
      await until(() => spoken(element).includes(sentence), sentence);
      await settled(element);
    }
  });

  it('ignores invalid announcements and detects a legacy wallet by its flags', async () => {
    const listen = (): void => {
      for (const detail of [
        null,
        {},
        { info: {} },
        { info: { name: 5 }, provider: {} },
        { info: { name: ' ' }, provider: { request: () => 1 } },
      ])
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    };
    addEventListener('eip6963:requestProvider', listen);
    had.push(() => removeEventListener('eip6963:requestProvider', listen));
    has(globalThis, 'ethereum', { isTrust: true, isMetaMask: true, request: async () => [] });
    const element = await shown(ether());
    await until(() => buttons(element).length);
    expect(textsOf(buttons(element))).to.deep.equal(['Pay with Trust Wallet']);
  });

  it('uses the lightning wallet of the browser', async () => {
    let paid = '';
    has(globalThis, 'webln', {
      enable: async () => {},
      sendPayment: async (request: string) => void (paid = request),
    });
    const element = await shown(lightning());
    await until(() => buttons(element).length);
    buttons(element)[0]!.click();
    await until(() => textOf(element).includes('WebLN has sent the payment.'));
    expect(paid).to.equal(lightning().payment!.lightning!.payment_request);
  });

  it('pays the request beside an address with the lightning wallet of the browser', async () => {
    let paid = '';
    has(globalThis, 'webln', {
      enable: async () => {},
      sendPayment: async (request: string) => void (paid = request),
    });
    const view = bitcoinWithLightning();
    const element = await shown(view);
    await until(() => buttons(element).length);
    buttons(element)[0]!.click();
    await until(() => textOf(element).includes('WebLN has sent the payment.'));
    expect(paid).to.equal(view.payment!.lightning!.payment_request);
  });

  it('hands no address to a lightning wallet that also takes LNURL', async () => {
    const wallet = { enable: async () => {}, sendPayment: () => {}, lnurl: () => {} };
    has(globalThis, 'webln', wallet);
    const element = await shown(checkout('pay'));
    await pause(50);
    expect(buttons(element)).to.have.length(0);
  });

  it('offers no wallet for payments from an exchange', async () => {
    isPhone(IPHONE);
    server.state = ether({ payment: { ...ether().payment!, from: 'exchange' } });
    const { element } = await open();
    await settled(element);
    expect([...buttons(element), ...buttons(element, 'wallet')]).to.have.length(0);
  });

  it('shares only the address of the page', async () => {
    const shared: unknown[] = [];
    has(navigator, 'share', async (what: unknown) => void shared.push(what));
    const element = await shown(ether());
    buttons(element, 'share')[0]!.click();
    await until(() => shared.length);
    expect(shared[0]).to.deep.equal({
      text: 'Please pay $49.90 to Quay & Co.',
      url: 'https://pay.example/pay/c8e1f0a9b2d34c5e6f708192a3b4c5d6/',
    });
  });

  it('copies the link without share support, and stays quiet when sharing is cancelled', async () => {
    let copied = '';
    has(navigator, 'share', undefined);
    has(navigator, 'clipboard', { writeText: async (text: string) => void (copied = text) });
    const element = await shown(ether());
    const [share] = buttons(element, 'share');
    const top = (): number => deep(element, '[part=value]')[0]!.getBoundingClientRect().top;
    const before = top();
    share!.click();
    await until(() => spoken(element) === 'Link copied');
    await until(() => share!.textContent.trim() === 'Link copied', 'in the button');
    expect(top()).to.equal(before);
    expect(copied).to.equal('https://pay.example/pay/c8e1f0a9b2d34c5e6f708192a3b4c5d6/');
    copied = '';
    has(navigator, 'share', () => Promise.reject(new DOMException('no', 'AbortError')));
    buttons(element, 'share')[0]!.click();
    await pause(30);
    expect(copied).to.equal('');
  });

  it('shows the code on the whole screen with a wake lock and restores the focus', async () => {
    let lit = 0;
    const lock = {
      request: async () => {
        lit += 1;
        return { release: async () => void (lit -= 1) };
      },
    };
    has(navigator, 'wakeLock', lock);
    const element = await shown(ether());
    const button = buttons(element, 'large')[0]!;
    button.focus();
    button.click();
    await until(() => deep(element, 'dialog').length);
    await settled(element);
    const dialog = deep(element, 'dialog')[0] as HTMLDialogElement;
    expect(dialog.open).to.equal(true);
    expect(getComputedStyle(dialog).backgroundColor).to.equal('rgb(255, 255, 255)');
    expect(dialog.getBoundingClientRect().width).to.be.closeTo(innerWidth, 1);
    const path = dialog.querySelector('crypto-qr')!.shadowRoot!.querySelector('path')!;
    expect(path.getAttribute('d')).to.equal(element.checkout!.payment!.qr.path);
    await until(() => lit === 1);
    await expect(element).to.be.accessible();
    // The effect of Escape.
    dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
    dialog.close();
    await until(() => !deep(element, 'dialog').length);
    await until(() => lit === 0);
    expect(button.getRootNode()).to.have.property('activeElement', button);

    button.click();
    await until(() => deep(element, '[part=close-button]').length);
    await settled(element);
    deep(element, '[part=close-button]')[0]!.click();
    await until(() => !deep(element, 'dialog').length);
    expect(button.getRootNode()).to.have.property('activeElement', button);
  });

  it('shows the large code without wake lock support and closes it when the payment is seen', async () => {
    has(navigator, 'wakeLock', undefined);
    const element = await shown(ether());
    buttons(element, 'large')[0]!.click();
    await until(() => deep(element, 'dialog[open]').length);
    server.state = checkout('seen', { version: 2 });
    element.refresh();
    await until(() => heading(element) === 'Payment detected');
    expect(deep(element, 'dialog')).to.have.length(0);
  });

  describe('Solana', () => {
    const bytes = Uint8Array.from([1, 2, 250]);
    it('fetches the transaction and has the wallet send it with one click', async () => {
      const signed: Signed[] = [];
      server.transaction = bytes;
      registers('Sun Wallet', (input) => signed.push(input));
      const element = await shown(solana());
      await until(() => buttons(element).length);
      expect(textsOf(buttons(element))).to.deep.equal(['Pay with Sun Wallet']);
      await expect(element).to.be.accessible();
      buttons(element)[0]!.click();
      await until(() => textOf(element).includes('Sun Wallet has sent the payment'));
      expect(
        signed.map(({ account, chain, transaction }) => [account.address, chain, [...transaction]]),
      ).to.deep.equal([['Payer', 'solana:mainnet', [...bytes]]]);
      expect(server.posts.at(-1)).to.deep.include({
        path: `/checkouts/${element.checkout!.id}/solana`,
        body: { account: 'Payer' },
      });
      // The same payment is not requested twice.
      buttons(element)[0]!.click();
      await pause(50);
      expect(signed).to.have.length(1);
    });

    it('finds a wallet that registers later, and uses it on a test network', async () => {
      server.transaction = bytes;
      const signed: Signed[] = [];
      const element = await shown(solana({ network: 'testnet' }));
      registers('Late Wallet', (input) => signed.push(input), { late: true });
      await until(() => buttons(element).length);
      buttons(element)[0]!.click();
      await until(() => signed.length);
      expect(signed[0]!.chain).to.equal('solana:devnet');
    });

    it('offers nothing without a server transaction or on other networks', async () => {
      registers('Sun Wallet', () => {});
      const element = await shown(solana());
      await until(() => server.asked.some(({ path }) => path.endsWith('/solana')));
      await pause(50);
      expect(buttons(element)).to.have.length(0);
      element.remove();
      server.transaction = bytes;
      for (const undo of had.splice(0).toReversed()) undo();
      isPhone(DESKTOP);
      registers('Other Wallet', () => {}, { chains: ['bip122:mainnet'] });
      const other = await shown(solana());
      await pause(50);
      expect(buttons(other)).to.have.length(0);
    });

    for (const [what, send, options, message] of [
      [
        'is refused by the buyer',
        () => Promise.reject(new Error('User rejected the request.')),
        {},
        'did not send the payment',
      ],
      [
        'ends in something unclear',
        () => Promise.reject(new Error('timeout')),
        {},
        'did not say whether it paid',
      ],
      ['has no account', () => {}, { accounts: [] }, 'did not send the payment'],
      [
        'has an account elsewhere only',
        () => {},
        { accounts: [{ address: 'x', chains: ['solana:testnet'] }] },
        'could not switch to Solana',
      ],
    ] as const)
      it(`reports a wallet that ${what}`, async () => {
        server.transaction = bytes;
        registers('Sun Wallet', send, options);
        const element = await shown(solana());
        await until(() => buttons(element).length);
        buttons(element)[0]!.click();
        await until(() => textOf(element).includes(message));
      });
  });
});
