import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import type { Kind } from '@crypto-checkout/protocol/kind';
import type { CryptoCoinPicker } from '../components/coin-picker/coin-picker.ts';
import type { Provider } from './ethereum.ts';

/** Time in which the list may still move: later the buyer reads it. */
const MOVES_MS = 800;
/** A press this soon after a move was meant for the list before it. */
const AIMED_MS = 350;
/** The buyer has touched the page. */
const TOUCHES = [
  'pointerdown',
  'pointermove',
  'touchmove',
  'wheel',
  'scroll',
  'keydown',
  'focusin',
];

/**
 * Moves the coins up that a wallet in this browser holds enough of, if the buyer has not touched
 * the page. Only wallets that have permitted this page before are asked, without a prompt.
 * @param since - The time at which the list appeared.
 */
export async function moveHeldUp(picker: CryptoCoinPicker, since: number): Promise<void> {
  const isTouched = watchTouches();
  const held = await heldKinds(picker.coins);
  const isLate = performance.now() - since > MOVES_MS;
  if (isTouched() || isLate || !held.length || picker.matches(':hover, :focus-within')) return;
  picker.held = held;
  picker.requestUpdate();
  ignorePresses(picker);
}

/** Returns whether the buyer has touched the page since. Asking ends it. */
function watchTouches(): () => boolean {
  const first = new AbortController();
  const end = (): void => first.abort();
  for (const type of TOUCHES)
    addEventListener(type, end, { capture: true, passive: true, signal: first.signal });
  return () => {
    const { aborted } = first.signal;
    end();
    return aborted;
  };
}

function ignorePresses({ renderRoot }: CryptoCoinPicker): void {
  const ignore = (event: Event): void => {
    // Clicks of keys have no `detail`; the focus has not moved.
    if (!(event as MouseEvent).detail) return;
    event.preventDefault();
    event.stopPropagation();
  };
  renderRoot.addEventListener('click', ignore, { capture: true });
  setTimeout(() => renderRoot.removeEventListener('click', ignore, { capture: true }), AIMED_MS);
}

/** The kinds of which a wallet holds the amount due. */
async function heldKinds(coins: readonly CheckoutCoin[]): Promise<string[]> {
  const held = await Promise.all(
    [...providersHere()].map((provider) => heldBy(provider, coins).catch(() => [])),
  );
  return held.flat();
}

/** Wallets by EIP-6963, which announce themselves at once, and `window.ethereum`. */
function providersHere(): Set<Provider> {
  const providers = new Set<Provider>();
  const add = (provider?: Provider): void => {
    if (typeof provider?.request === 'function') providers.add(provider);
  };
  const listen = (event: Event & { readonly detail?: { provider?: Provider } }): void =>
    add(event.detail?.provider);
  addEventListener('eip6963:announceProvider', listen);
  dispatchEvent(new Event('eip6963:requestProvider'));
  removeEventListener('eip6963:announceProvider', listen);
  add((globalThis as { ethereum?: Provider }).ethereum);
  return providers;
}

/** By EIP-1193 `eth_accounts` prompts for nothing and is empty without an earlier permission. */
async function heldBy(provider: Provider, coins: readonly CheckoutCoin[]): Promise<string[]> {
  const [account] = (await provider.request({ method: 'eth_accounts' })) as unknown[];
  if (typeof account !== 'string') return [];
  const chainId = Number(await provider.request({ method: 'eth_chainId' }));
  const { CHAINS, kindOf } = await import('@crypto-checkout/protocol/kind');
  const held = await Promise.all(
    coins.map(async ({ kind: name, approx }) => {
      const kind = kindOf(name);
      const chain = kind && CHAINS[kind.chain];
      const isHere = chain && 'evmChainId' in chain && chain.evmChainId === chainId;
      return isHere && (await isEnough(provider, account, kind, approx)) ? name : [];
    }),
  );
  return held.flat();
}

async function isEnough(
  provider: Provider,
  account: string,
  { contract, decimals }: Kind,
  approx: string | null,
): Promise<boolean> {
  const [whole = '', decimal = ''] = (approx ?? '').split('.');
  const question = contract
    ? // ERC-20: `balanceOf(address)`
      {
        method: 'eth_call',
        params: [
          { to: contract, data: `0x70a08231${account.slice(2).padStart(64, '0')}` },
          'latest',
        ],
      }
    : { method: 'eth_getBalance', params: [account, 'latest'] };
  try {
    const balance = BigInt((await provider.request(question)) as string);
    return (
      balance > 0n && balance >= BigInt(whole + decimal.padEnd(decimals, '0').slice(0, decimals))
    );
  } catch {
    return false;
  }
}
