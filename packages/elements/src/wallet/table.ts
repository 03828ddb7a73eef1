import type { WalletRequest } from './request.ts';

/** Where the page is opened; on anything else than a phone no wallet app can be opened by its name. */
export type Phone = 'ios' | 'android';

/**
 * A wallet and the form that works with it. Data, most useful first; sources are the wallets' own documentation or code, found in the
 * comments. A wallet that is not known to keep a tag, a token or an amount has no row for it: a link that loses one loses money.
 */
export interface Wallet {
  name: string;
  families: readonly WalletRequest['family'][];
  /** Only there; elsewhere the system's own chooser does it better. */
  phone?: Phone;
  /** It knows the test networks, too. */
  testNetworks?: boolean;
  /** What it is given; null where it cannot take this one. */
  link(request: WalletRequest, page: string): string | null;
}

/** Coins as Trust Wallet numbers them (SLIP-44, and the registry of its wallet core where chains share a number). */
const TRUST_COINS: Readonly<Record<string, number>> = {
  bitcoin: 0,
  litecoin: 2,
  dogecoin: 3,
  tron: 195,
  tron_token: 195,
  solana: 501,
  solana_token: 501,
  1: 60,
  56: 20000714,
  137: 966,
  8453: 8453,
  42161: 10042221,
  42220: 52752,
};

const EVM = ['evm', 'evm_token'] as const;
const withPrefix =
  (prefix: string) =>
  ({ to }: WalletRequest): string =>
    prefix + to;
/** A page inside the wallet's own browser, where it can be asked directly; only https pages open there. */
const inBrowser =
  (start: string, of: (page: string) => string = encodeURIComponent) =>
  (_: WalletRequest, page: string): string | null =>
    page.startsWith('https://') ? start + of(page) : null;
const trustCoin = ({ family, chainId }: WalletRequest): number | undefined => TRUST_COINS[chainId ?? family];

export const WALLETS: readonly Wallet[] = [
  // docs.metamask.io, "Use deeplinks": switches the network by itself.
  {
    name: 'MetaMask',
    families: ['evm'],
    testNetworks: true,
    link: ({ link, units }) => (units ? link.replace('ethereum:', 'https://link.metamask.io/send/') : null),
  },
  // Tokens: the page inside its browser names contract, chain and amount in the request itself.
  {
    name: 'MetaMask',
    families: ['evm_token'],
    testNetworks: true,
    link: inBrowser('https://link.metamask.io/dapp/', (page) => page.slice('https://'.length)),
  },
  // developer.trustwallet.com, "Deep linking"; universal asset ids. On Android its browser asks for exactly the right thing.
  { name: 'Trust Wallet', families: EVM, phone: 'android', link: (request, page) => openInTrust(request, page) ?? sendInTrust(request) },
  { name: 'Trust Wallet', families: EVM, phone: 'ios', link: sendInTrust },
  {
    name: 'Trust Wallet',
    families: ['bitcoin', 'litecoin', 'dogecoin', 'tron', 'tron_token', 'solana', 'solana_token'],
    link: sendInTrust,
  },
  // docs.phantom.com, "Browse". Its browser has a provider for these chains; for Solana see below.
  {
    name: 'Phantom',
    families: EVM,
    link: (request, page) =>
      [1, 137, 8453].includes(request.chainId ?? 0)
        ? inBrowser('https://phantom.app/ul/browse/', (url) => `${encodeURIComponent(url)}?ref=${encodeURIComponent(url)}`)(request, page)
        : null,
  },
  // Tonkeeper's deep-link service: the same members as `ton://transfer`.
  {
    name: 'Tonkeeper',
    families: ['ton', 'ton_token'],
    link: ({ link }) => link.replace('ton://', 'https://app.tonkeeper.com/'),
  },
  // docs.xaman.dev, "Payment request link": with the tag, and a page for those who have no Xaman.
  { name: 'Xaman', families: ['xrp'], link: ({ link }) => link },
  // The universal link falls back to a page.
  { name: 'Cash App', families: ['lightning'], link: withPrefix('https://cash.app/launch/lightning/') },
  // iOS opens any one of several wallets for `lightning:` and `bitcoin:`; their own schemes open the right one. Android asks.
  { name: 'Wallet of Satoshi', families: ['lightning', 'lnurl'], phone: 'ios', link: withPrefix('walletofsatoshi:lightning:') },
  { name: 'Phoenix', families: ['lightning', 'lnurl'], phone: 'ios', link: withPrefix('phoenix:lightning:') },
  { name: 'BlueWallet', families: ['lightning', 'lnurl'], phone: 'ios', link: withPrefix('bluewallet:lightning:') },
  { name: 'BlueWallet', families: ['bitcoin'], phone: 'ios', link: ({ link }) => `bluewallet:${link}` },
  { name: 'Zeus', families: ['lightning', 'lnurl'], phone: 'ios', link: withPrefix('zeusln:lightning:') },
  { name: 'Strike', families: ['lightning'], phone: 'ios', link: withPrefix('strike:lightning:') },
  { name: 'Muun', families: ['lightning'], phone: 'ios', link: withPrefix('muun:') },
];

/** Wallets that can take the request on this phone, the best first. */
export function walletsFor(
  request: WalletRequest,
  { phone, page, test }: { phone: Phone; page: string; test: boolean },
): { name: string; link: string }[] {
  return WALLETS.filter(
    (wallet) => wallet.families.includes(request.family) && (wallet.phone ?? phone) === phone && (!test || (wallet.testNetworks ?? false)),
  ).flatMap(({ name, link }) => {
    const to = link(request, page);
    return to ? [{ name, link: to }] : [];
  });
}

function sendInTrust(request: WalletRequest): string | null {
  const { to, amount, contract } = request;
  const coin = trustCoin(request);
  if (coin === undefined) return null;
  const asset = contract ? `c${coin}_t${contract}` : `c${coin}`;
  return `https://link.trustwallet.com/send?asset=${asset}&address=${to}${amount ? `&amount=${amount}` : ''}`;
}

function openInTrust(request: WalletRequest, page: string): string | null {
  const coin = trustCoin(request);
  return coin === undefined ? null : inBrowser(`https://link.trustwallet.com/open_url?coin_id=${coin}&url=`)(request, page);
}

/*
 * Not here, on purpose.
 * Solana in one tap in a browser that has a wallet: `solana.ts`, which asks the server for the transaction. `solana:` links, which
 * Phantom, Solflare and others read, open the rest.
 * TON and TRON in one tap: TON Connect needs a bridge between two devices, TRON's provider brings a library of its own; links again.
 * XRP in Trust Wallet: whether its memo becomes the destination tag is not documented, and without the tag the money has no owner.
 */
