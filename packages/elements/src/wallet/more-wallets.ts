import type { Mark } from '../core/contracts.ts';
import type { WalletRequest } from './request.ts';
import { TRUST, type Wallet, addWallets, trustLink, withPrefix } from './wallets.ts';

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

const METAMASK: Mark = {
  disc: '#f6851b',
  shape: 'm5.6 6 5 2.6h2.8l5-2.6-.8 6.6-1.8 4.6-2.4 1.2h-2.8l-2.4-1.2-1.8-4.6z',
};
const PHANTOM: Mark = {
  disc: '#8a7be0',
  shape:
    'M6.4 17.6V12a5.6 5.6 0 0 1 11.2 0v5.6l-1.9-1.5-1.9 1.5-1.8-1.5-1.8 1.5-1.9-1.5zm3.8-7a1 1 0 1 0 .01 0zm3.6 0a1 1 0 1 0 .01 0z',
};
const BLUE: Mark = { disc: '#0070ff', lines: 'M6.6 9h10.8v7.4H6.6zM14 12.7h3.4M6.6 9l7-2.6V9' };

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
    mark: METAMASK,
    families: ['evm'],
    testNetworks: true,
    link: ({ link, units }) =>
      units ? link.replace('ethereum:', 'https://link.metamask.io/send/') : null,
  },
  // Tokens: in MetaMask's browser, the request contains contract, chain and amount.
  {
    name: 'MetaMask',
    mark: METAMASK,
    families: ['evm_token'],
    testNetworks: true,
    link: inBrowser('https://link.metamask.io/dapp/', (page) => page.slice('https://'.length)),
  },
  // developer.trustwallet.com, "Deep linking"; universal asset ids. On Android its browser asks for
  // the exact payment.
  {
    name: 'Trust Wallet',
    mark: TRUST,
    families: EVM,
    phone: 'android',
    link: (request, page) => openInTrust(request, page) ?? sendInTrust(request),
  },
  { name: 'Trust Wallet', mark: TRUST, families: EVM, phone: 'ios', link: sendInTrust },
  {
    name: 'Trust Wallet',
    mark: TRUST,
    families: ['tron', 'tron_token', 'solana', 'solana_token'],
    link: sendInTrust,
  },
  // docs.phantom.com, "Browse". Its browser has a provider for these chains; for Solana see below.
  {
    name: 'Phantom',
    mark: PHANTOM,
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
    mark: { disc: '#2c3a4b', ink: '#45aef5', shape: 'M12 5.6 18.4 9 12 18.6 5.6 9z' },
    families: ['ton', 'ton_token'],
    link: ({ link }) => link.replace('ton://', 'https://app.tonkeeper.com/'),
  },
  // docs.xaman.dev, "Payment request link": with the tag, and a fallback page.
  {
    name: 'Xaman',
    mark: { disc: '#3052ff', lines: 'm7 7.4 5 4.6 5-4.6M7 16.6l5-4.6 5 4.6' },
    families: ['xrp'],
    link: ({ link }) => link,
  },
  // iOS opens an arbitrary wallet for `lightning:` and `bitcoin:`; the wallets' own schemes open
  // the right one. Android asks.
  {
    name: 'Wallet of Satoshi',
    mark: { disc: '#3a3c45', ink: '#ffd84d', lines: 'M7 8.6l2.5 7L12 10l2.5 5.6 2.5-7' },
    families: ['lightning', 'lnurl'],
    phone: 'ios',
    link: withPrefix('walletofsatoshi:lightning:'),
  },
  {
    name: 'Phoenix',
    mark: {
      disc: '#1d8f5b',
      shape:
        'M5.8 7.4c3.2 1.6 5 2 6.2 4.6 1.2-2.6 3-3 6.2-4.6-1 4.6-4.6 5.4-6.2 10-1.6-4.6-5.2-5.4-6.2-10z',
    },
    families: ['lightning', 'lnurl'],
    phone: 'ios',
    link: withPrefix('phoenix:lightning:'),
  },
  {
    name: 'BlueWallet',
    mark: BLUE,
    families: ['lightning', 'lnurl'],
    phone: 'ios',
    link: withPrefix('bluewallet:lightning:'),
  },
  {
    name: 'BlueWallet',
    mark: BLUE,
    families: ['bitcoin'],
    phone: 'ios',
    link: ({ link }) => `bluewallet:${link}`,
  },
  {
    name: 'Zeus',
    mark: { disc: '#ffd93f', ink: '#15202b', lines: 'M8 7.4h8l-8 9.2h8' },
    families: ['lightning', 'lnurl'],
    phone: 'ios',
    link: withPrefix('zeusln:lightning:'),
  },
  {
    name: 'Strike',
    mark: { disc: '#3d3d45', shape: 'M7.4 7.6h9.2l-2.4 3H7.4zm2.4 5.8h6.8v3H7.4z' },
    families: ['lightning'],
    phone: 'ios',
    link: withPrefix('strike:lightning:'),
  },
  {
    name: 'Muun',
    mark: {
      disc: '#2474cd',
      lines: 'M6.8 16V9.8a2.6 2.6 0 0 1 5.2 0V16m0-6.2a2.6 2.6 0 0 1 5.2 0V16',
    },
    families: ['lightning'],
    phone: 'ios',
    link: withPrefix('muun:'),
  },
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
