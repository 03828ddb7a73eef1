import type { WalletRequest } from './request.ts';
import { type Wallet, addWallets, trustLink, withPrefix } from './wallets.ts';

/**
 * Trust Wallet's coin numbers (SLIP-44, or its wallet core registry where chains share a number).
 */
const TRUST_COINS: Readonly<Record<string, number>> = {
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

/** Contracts of TRON tokens, whose link is the bare address. */
export const TRON_TOKENS: Readonly<Record<string, string>> = {
  'USDT-TRX': 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  'USDC-TRX': 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8',
};

const EVM = ['evm', 'evm_token'] as const;
/** Opens our page in the wallet's own browser, which supports https only. */
const inBrowser =
  (start: string, of: (page: string) => string = encodeURIComponent) =>
  (_: WalletRequest, page: string): string | null =>
    page.startsWith('https://') ? start + of(page) : null;
const trustCoin = ({ family, chainId }: WalletRequest): number | undefined =>
  TRUST_COINS[chainId ?? family];

/**
 * Wallets for all coins but bitcoin and its relatives, and those of iOS alone; loaded when one of
 * these coins is chosen, or on iOS.
 */
const WALLETS: readonly Wallet[] = [
  // docs.metamask.io, "Use deeplinks": switches the network by itself.
  {
    name: 'MetaMask',
    families: ['evm'],
    testNetworks: true,
    link: ({ link, units }) =>
      units ? link.replace('ethereum:', 'https://link.metamask.io/send/') : null,
  },
  // Tokens: in MetaMask's browser, the request contains contract, chain and amount.
  {
    name: 'MetaMask',
    families: ['evm_token'],
    testNetworks: true,
    link: inBrowser('https://link.metamask.io/dapp/', (page) => page.slice('https://'.length)),
  },
  // developer.trustwallet.com, "Deep linking"; universal asset ids. On Android its browser asks for
  // the exact payment.
  {
    name: 'Trust Wallet',
    families: EVM,
    phone: 'android',
    link: (request, page) => openInTrust(request, page) ?? sendInTrust(request),
  },
  { name: 'Trust Wallet', families: EVM, phone: 'ios', link: sendInTrust },
  {
    name: 'Trust Wallet',
    families: ['tron', 'tron_token', 'solana', 'solana_token'],
    link: sendInTrust,
  },
  // docs.phantom.com, "Browse". Its browser has a provider for these chains; for Solana see below.
  {
    name: 'Phantom',
    families: EVM,
    link: (request, page) =>
      [1, 137, 8453].includes(request.chainId ?? 0)
        ? inBrowser(
            'https://phantom.app/ul/browse/',
            (url) => `${encodeURIComponent(url)}?ref=${encodeURIComponent(url)}`,
          )(request, page)
        : null,
  },
  // Tonkeeper's deep-link service: the same parameters as `ton://transfer`.
  {
    name: 'Tonkeeper',
    families: ['ton', 'ton_token'],
    link: ({ link }) => link.replace('ton://', 'https://app.tonkeeper.com/'),
  },
  // docs.xaman.dev, "Payment request link": with the tag, and a fallback page.
  { name: 'Xaman', families: ['xrp'], link: ({ link }) => link },
  // iOS opens an arbitrary wallet for `lightning:` and `bitcoin:`; the wallets' own schemes open
  // the right one. Android asks.
  {
    name: 'Wallet of Satoshi',
    families: ['lightning', 'lnurl'],
    phone: 'ios',
    link: withPrefix('walletofsatoshi:lightning:'),
  },
  {
    name: 'Phoenix',
    families: ['lightning', 'lnurl'],
    phone: 'ios',
    link: withPrefix('phoenix:lightning:'),
  },
  {
    name: 'BlueWallet',
    families: ['lightning', 'lnurl'],
    phone: 'ios',
    link: withPrefix('bluewallet:lightning:'),
  },
  {
    name: 'BlueWallet',
    families: ['bitcoin'],
    phone: 'ios',
    link: ({ link }) => `bluewallet:${link}`,
  },
  {
    name: 'Zeus',
    families: ['lightning', 'lnurl'],
    phone: 'ios',
    link: withPrefix('zeusln:lightning:'),
  },
  { name: 'Strike', families: ['lightning'], phone: 'ios', link: withPrefix('strike:lightning:') },
  { name: 'Muun', families: ['lightning'], phone: 'ios', link: withPrefix('muun:') },
];

addWallets(WALLETS);

function sendInTrust(request: WalletRequest): string | null {
  const { family, kind, to, amount, contract } = request;
  const coin = trustCoin(request);
  const token = contract ?? TRON_TOKENS[kind];
  if (coin === undefined || (family === 'tron_token' && !token)) return null;
  return trustLink(token ? `c${coin}_t${token}` : `c${coin}`, to, amount);
}

function openInTrust(request: WalletRequest, page: string): string | null {
  const coin = trustCoin(request);
  return coin === undefined
    ? null
    : inBrowser(`https://link.trustwallet.com/open_url?coin_id=${coin}&url=`)(request, page);
}

/*
 * Deliberately left out.
 * Solana with one tap: `solana.ts` asks the server for the transaction. `solana:` links, which
 * Phantom, Solflare and others support, cover the rest.
 * TON and TRON with one tap: TON Connect needs a bridge between two devices, and TRON's provider a
 * library of its own. Links cover them.
 * XRP in Trust Wallet: it is undocumented whether its memo becomes the destination tag, and a
 * payment without the tag is lost.
 */
