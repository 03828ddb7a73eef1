import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { expect, fixture, html } from '@open-wc/testing';
import type { CryptoCoinPicker } from '../index.ts';
// Loaded before the list appears, so that a slow machine is not a late answer.
import './holdings.ts';
import '@crypto-checkout/protocol/kind';
import { pause, until } from '../../test/support/fake-server.ts';
import { COINS } from '../../test/support/fixture.ts';
import type { Provider } from './ethereum.ts';

const ACCOUNT = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const BASE = '0x2105';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const coin = (kind: string, name: string, symbol: string, approx: string): CheckoutCoin => ({
  ...COINS[0]!,
  kind,
  name,
  symbol,
  network: 'Base',
  approx,
});
const LIST: readonly CheckoutCoin[] = [
  ...COINS.filter(({ symbol }) => symbol !== 'USDC' && symbol !== 'ETH'),
  coin('ETH-BASE', 'Ethereum', 'ETH', '0.01'),
  coin('USDC-BASE', 'USD Coin', 'USDC', '49.9'),
];

interface Wallet {
  accounts?: unknown;
  chain?: string;
  /** By contract, or `eth` for the chain's own coin. */
  balances?: Record<string, unknown>;
  wait?: Promise<void>;
}

describe('coins in the buyer’s wallet', () => {
  const asked: string[] = [];
  let element: CryptoCoinPicker;

  const provider = ({
    accounts = [ACCOUNT],
    chain = BASE,
    balances = {},
    wait,
  }: Wallet): Provider => {
    const request: Provider['request'] = async ({ method, params = [] }) => {
      asked.push(method);
      if (method === 'eth_accounts') return accounts;
      if (method === 'eth_chainId') return chain;
      await wait;
      const [first] = params as [string | { to: string; data: string }];
      const name = typeof first === 'string' ? 'eth' : first.to;
      if (typeof first !== 'string')
        expect(first.data).to.equal(`0x70a08231${ACCOUNT.slice(2).padStart(64, '0')}`);
      if (!(name in balances)) throw new Error('execution reverted');
      return balances[name];
    };
    return { request };
  };
  const wallet = (answers: Wallet): void =>
    void Object.assign(globalThis, { ethereum: provider(answers) });
  const show = async (kind: string | null = null): Promise<void> => {
    element = await fixture<CryptoCoinPicker>(
      html`<crypto-coin-picker .coins=${LIST} .kind=${kind}></crypto-coin-picker>`,
    );
    await until(() => element.shadowRoot!.querySelector('[part=usual]')?.textContent.trim());
  };
  const kinds = (): string[] =>
    [...element.shadowRoot!.querySelectorAll<HTMLInputElement>('[type=radio]')].map(
      ({ value }) => value,
    );
  const isFirst = (kind: string): boolean => kinds()[0] === kind;
  const FIRST = LIST[0]!.kind;

  beforeEach(() => {
    localStorage.removeItem('crypto-checkout-kind');
    asked.length = 0;
  });
  afterEach(() => {
    delete (globalThis as { ethereum?: unknown }).ethereum;
    localStorage.removeItem('crypto-checkout-kind');
  });

  it('come first if there is enough of them, and nothing prompts', async () => {
    wallet({ balances: { [USDC]: `0x${(60_000_000).toString(16)}`, eth: '0x1' } });
    await show();
    await until(() => isFirst('USDC-BASE'), 'the list moves');
    expect(kinds().toSorted()).to.deep.equal(LIST.map(({ kind }) => kind).toSorted());
    expect(new Set(asked)).to.deep.equal(
      new Set(['eth_accounts', 'eth_chainId', 'eth_getBalance', 'eth_call']),
    );
    await expect(element).to.be.accessible();
  });

  it('come first from a wallet that only announces itself', async () => {
    const detail = { provider: provider({ balances: { [USDC]: '0xffffffff' } }) };
    const announce = (): void =>
      void dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    addEventListener('eip6963:requestProvider', announce);
    try {
      await show();
      await until(() => isFirst('USDC-BASE'), 'the list moves');
    } finally {
      removeEventListener('eip6963:requestProvider', announce);
    }
  });

  it('are not asked for before this page has been permitted', async () => {
    wallet({ accounts: [], balances: { [USDC]: '0xffffffff' } });
    await show();
    await until(() => asked.length);
    await pause(100);
    expect([asked, isFirst(FIRST)]).to.deep.equal([['eth_accounts'], true]);
  });

  it('stay where too little, another network or nonsense is answered', async () => {
    for (const answers of [
      { balances: { [USDC]: `0x${(49_899_999).toString(16)}`, eth: '0x0' } },
      { balances: { [USDC]: '0x', eth: null } },
      { balances: { [USDC]: 'much', eth: {} } },
      { chain: '0x1', balances: { [USDC]: '0xffffffff' } },
      { accounts: null },
      { accounts: [{}] },
    ]) {
      asked.length = 0;
      wallet(answers);
      await show();
      await until(() => asked.length);
      await pause(100);
      expect(isFirst(FIRST), JSON.stringify(answers)).to.equal(true);
      element.remove();
    }
  });

  it('stay once the buyer has touched the page, or has read the list for a while', async () => {
    for (const touch of ['pointerdown', 'pointermove', 'wheel', 'keydown', 'late']) {
      let answer = (): void => {};
      const wait = new Promise<void>((resolve) => (answer = resolve));
      asked.length = 0;
      wallet({ balances: { [USDC]: '0xffffffff' }, wait });
      await show();
      await until(() => asked.includes('eth_call'));
      if (touch === 'late') await pause(900);
      else dispatchEvent(new Event(touch));
      answer();
      await pause(100);
      expect(isFirst(FIRST), touch).to.equal(true);
      element.remove();
    }
  });

  it('move under no finger: a press right after it picks nothing', async () => {
    wallet({ balances: { [USDC]: '0xffffffff' } });
    const picked: string[] = [];
    await show();
    element.addEventListener('coin-pick', ({ kind }) => picked.push(kind));
    await until(() => isFirst('USDC-BASE'), 'the list moves');
    const press = (): boolean =>
      element
        .shadowRoot!.querySelector('label')!
        .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    press();
    await pause(400);
    expect(picked).to.deep.equal([]);
    press();
    await until(() => picked.length);
    expect(picked).to.deep.equal(['USDC-BASE']);
  });

  it('come after the coin of the shop, and after the one that was used last', async () => {
    wallet({ balances: { [USDC]: '0xffffffff' } });
    await show('XRP');
    await until(() => kinds()[1] === 'USDC-BASE', 'the list moves');
    expect(isFirst('XRP')).to.equal(true);
    element.remove();
    localStorage.setItem('crypto-checkout-kind', 'ETH_USDT');
    await show();
    await until(() => kinds()[1] === 'USDC-BASE', 'the list moves');
    expect(isFirst('ETH_USDT')).to.equal(true);
  });

  it('are not looked for in a browser without a wallet', async () => {
    await show();
    await pause(100);
    expect([asked, isFirst(FIRST)]).to.deep.equal([[], true]);
  });
});
