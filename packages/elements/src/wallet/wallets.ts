import type { WalletRequest } from './request.ts';

/** Operating system; wallet apps are only opened on phones. */
export type Phone = 'ios' | 'android';

/**
 * A wallet and its link format, most useful first. Sources are the wallets' own documentation or
 * code. Wallets that may drop a tag, a token or an amount are left out, because that loses money.
 */
export interface Wallet {
  name: string;
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

/** Wallets of both phones for bitcoin, its relatives and lightning. */
const WALLETS: readonly Wallet[] = [
  {
    name: 'Trust Wallet',
    families: ['bitcoin', 'litecoin', 'dogecoin'],
    link: sendInTrust,
  },
  // The universal link has a fallback page.
  {
    name: 'Cash App',
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

/** Wallets that support the request on this phone, best first. */
export function walletsFor(
  request: WalletRequest,
  { phone, page, test }: { phone: Phone; page: string; test: boolean },
): { name: string; link: string }[] {
  return allWallets()
    .filter(
      (wallet) =>
        wallet.families.includes(request.family) &&
        (wallet.phone ?? phone) === phone &&
        (!test || (wallet.testNetworks ?? false)),
    )
    .flatMap(({ name, link }) => {
      const to = link(request, page);
      return to ? [{ name, link: to }] : [];
    });
}
