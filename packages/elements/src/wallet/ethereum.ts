import type { WalletRequest } from './request.ts';

/**
 * Outcome of a wallet request. Uncertain cases are `unknown`, because asking the buyer to pay again
 * would be worse.
 */
export type Outcome = 'sent' | 'refused' | 'unknown' | 'network';

/** EIP-1193. */
export interface Provider {
  request(question: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

/** A wallet extension, or a wallet's own browser. */
export interface Injected {
  name: string;
  /** The wallet's own picture. */
  icon?: string | undefined;
  pay(request: WalletRequest): Promise<Outcome>;
}

interface Announced extends Event {
  readonly detail?: {
    info?: { uuid?: unknown; name?: unknown; icon?: unknown };
    provider?: Provider;
  };
}

/** Flags of wallets without EIP-6963. */
const FLAGS = [
  ['isTrust', 'Trust Wallet'],
  ['isTrustWallet', 'Trust Wallet'],
  ['isCoinbaseWallet', 'Coinbase Wallet'],
  ['isPhantom', 'Phantom'],
  ['isMetaMask', 'MetaMask'],
] as const;
/** EIP-1193: the user rejected the request. */
const REJECTED = 4001;
/** Wallets choose their own names. */
const LONGEST_NAME = 32;

/**
 * Finds wallets by EIP-6963, or `window.ethereum` if none announces itself.
 * @returns a function that ends the search
 */
export function findEthereum(found: (wallets: Injected[]) => void): () => void {
  const wallets = new Map<unknown, Injected>();
  const listen = (event: Announced): void => {
    const { info, provider } = event.detail ?? {};
    if (
      typeof provider?.request !== 'function' ||
      typeof info?.name !== 'string' ||
      !info.name.trim()
    )
      return;
    wallets.set(info.uuid, {
      ...injected(info.name.trim().slice(0, LONGEST_NAME), provider),
      icon: pictureOf(info.icon),
    });
    found([...wallets.values()]);
  };
  addEventListener('eip6963:announceProvider', listen);
  dispatchEvent(new Event('eip6963:requestProvider'));
  const { ethereum } = globalThis as { ethereum?: Provider & Record<string, unknown> };
  const name = FLAGS.find(([flag]) => ethereum?.[flag])?.[1];
  if (!wallets.size && name && typeof ethereum?.request === 'function')
    found([injected(name, ethereum)]);
  return () => removeEventListener('eip6963:announceProvider', listen);
}

/** EIP-6963 and the Wallet Standard want a picture within the address: nothing is loaded for it. */
export const pictureOf = (icon: unknown): string | undefined =>
  typeof icon === 'string' && icon.startsWith('data:image/') ? icon : undefined;

const injected = (name: string, provider: Provider): Injected => ({
  name,
  pay: (request) => payEthereum(provider, request),
});

/** Asks the wallet to sign and send one transaction. */
export async function payEthereum(provider: Provider, request: WalletRequest): Promise<Outcome> {
  const chainId = `0x${request.chainId!.toString(16)}`;
  let from: unknown;
  try {
    [from] = (await provider.request({ method: 'eth_requestAccounts' })) as unknown[];
    if (typeof from !== 'string') return 'refused';
  } catch {
    return 'refused';
  }
  try {
    if (!(await isOn(provider, chainId)))
      await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
    // Some wallets confirm the switch without switching.
    if (!(await isOn(provider, chainId))) return 'network';
  } catch (error) {
    return isRejection(error) ? 'refused' : 'network';
  }
  try {
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, chainId, ...transactionOf(request) }],
    });
    return typeof hash === 'string' && hash ? 'sent' : 'unknown';
  } catch (error) {
    return isRejection(error) ? 'refused' : 'unknown';
  }
}

/** The transaction: the coin itself, or a call of the token's `transfer(address,uint256)`. */
export function transactionOf({ to, units, contract }: WalletRequest): {
  to: string;
  value: string;
  data?: string;
} {
  const value = BigInt(units!).toString(16);
  if (!contract) return { to, value: `0x${value}` };
  const word = (hex: string): string => hex.toLowerCase().padStart(64, '0');
  return { to: contract, value: '0x0', data: `0xa9059cbb${word(to.slice(2))}${word(value)}` };
}

async function isOn(provider: Provider, chainId: string): Promise<boolean> {
  return Number(await provider.request({ method: 'eth_chainId' })) === Number(chainId);
}

const isRejection = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === REJECTED;
