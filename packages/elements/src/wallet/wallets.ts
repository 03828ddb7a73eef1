import type { Mark } from '../core/contracts.ts';
import type { WalletRequest } from './request.ts';

/** Operating system; wallet apps are only opened on phones. */
export type Phone = 'ios' | 'android';

/**
 * A wallet and its link format, most useful first. Sources are the wallets' own documentation or
 * code. Wallets that may drop a tag, a token or an amount are left out, because that loses money.
 */
export interface Wallet {
  name: string;
  /** Our own simplified drawing. */
  mark: Mark;
  families: readonly WalletRequest['family'][];
  /** Only on this system; the other one offers a chooser. */
  phone?: Phone;
  /** Supports test networks. */
  testNetworks?: boolean;
  /** The link; null if the wallet does not support the request. */
  link(request: WalletRequest, page: string): string | null;
}

export const withPrefix =
  (prefix: string) =>
  ({ to }: WalletRequest): string =>
    prefix + to;

/** Trust Wallet's coin numbers (SLIP-44). */
const TRUST_COINS: Readonly<Record<string, number>> = { bitcoin: 0, litecoin: 2, dogecoin: 3 };

/** developer.trustwallet.com, "Deep linking"; universal asset ids. */
const sendInTrust = ({ family, to, amount }: WalletRequest): string =>
  trustLink(`c${TRUST_COINS[family]}`, to, amount);

export const trustLink = (asset: string, to: string, amount: string | null): string =>
  `https://link.trustwallet.com/send?asset=${asset}&address=${to}${amount ? `&amount=${amount}` : ''}`;

export const TRUST: Mark = {
  disc: '#0500ff',
  shape: 'M12 5.2 17.6 7c0 6-2 9-5.6 11.6C8.4 16 6.4 13 6.4 7z',
};

/** Wallets of both phones for bitcoin, its relatives and lightning. */
const WALLETS: readonly Wallet[] = [
  {
    name: 'Trust Wallet',
    mark: TRUST,
    families: ['bitcoin', 'litecoin', 'dogecoin'],
    link: sendInTrust,
  },
  // The universal link has a fallback page.
  {
    name: 'Cash App',
    mark: {
      disc: '#00b843',
      lines: 'M14.8 9.2c-.8-1.3-5.4-1.5-5.4 1s5.4 1.2 5.4 3.8-4.6 2.3-5.6.8M12.4 6v2m-.6 8v2',
    },
    families: ['lightning'],
    link: withPrefix('https://cash.app/launch/lightning/'),
  },
];

let others: readonly Wallet[] = [];

/** Adds the wallets of all other families, and those of iOS alone. */
export const addWallets = (more: readonly Wallet[]): void => void (others = more);

/** Whether the wallets of this family are loaded. */
export const hasWallets = (family: WalletRequest['family']): boolean =>
  allWallets().some(({ families }) => families.includes(family));

export const allWallets = (): readonly Wallet[] => [...WALLETS, ...others];

/** A wallet with the link that opens it with the payment. */
export interface WalletApp extends Pick<Wallet, 'name' | 'mark'> {
  link: string;
}

/** Wallets that support the request on this phone, best first. */
export function walletsFor(
  request: WalletRequest,
  { phone, page, test }: { phone: Phone; page: string; test: boolean },
): WalletApp[] {
  return allWallets()
    .filter(
      (wallet) =>
        wallet.families.includes(request.family) &&
        (wallet.phone ?? phone) === phone &&
        (!test || (wallet.testNetworks ?? false)),
    )
    .flatMap(({ name, mark, link }) => {
      const to = link(request, page);
      return to ? [{ name, mark, link: to }] : [];
    });
}
