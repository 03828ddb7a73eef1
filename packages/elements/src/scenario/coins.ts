import { CHOOSE, COMPLETE, PAID, PAY, SEEN } from './paying.ts';
import type { Scene } from './scene.ts';

const AT_ONCE = [
  { ...PAID, at: 40, arrivals: [{ percent: 100, status: 'complete', confirmations: 1 }] },
];

/** Differences between coins and payment sources. */
export const COINS = {
  exchange: { about: 'Paid from an exchange', steps: [PAY, SEEN, PAID], from: 'exchange' },
  'exchange-small': {
    about: 'Less than exchanges send',
    steps: [PAY],
    from: 'exchange',
    minimumWithdrawal: '0.0005',
  },
  'xrp-tag': { about: 'XRP needs address and tag', steps: [PAY, ...AT_ONCE], kind: 'XRP' },
  'xrp-exchange': { about: 'XRP from an exchange', steps: [PAY], kind: 'XRP', from: 'exchange' },
  lightning: {
    about: 'A lightning request',
    steps: [PAY, { ...COMPLETE, at: 40 }],
    kind: 'BTC_LIGHTNING',
  },
  lnurl: {
    about: 'A code that gives lightning requests',
    steps: [PAY],
    kind: 'BTC_LIGHTNING_LNURL',
    kinds: ['BTC', 'BTC_LIGHTNING_LNURL'],
  },
  'btc-both': {
    about: 'Bitcoin on chain and by lightning, in one code',
    steps: [PAY, SEEN],
    withLightning: true,
    kinds: ['BTC', 'BTC_LIGHTNING'],
  },
  liquid: {
    about: 'Liquid has a confidential and a plain address',
    steps: [PAY, SEEN],
    kind: 'L-BTC',
  },
  'usdt-tron': { about: 'A token on TRON', steps: [PAY, SEEN, PAID], kind: 'USDT-TRX' },
  'usdt-ethereum': {
    about: 'A token that needs Ether for its fee',
    steps: [PAY, SEEN],
    kind: 'ETH_USDT',
  },
  solana: { about: 'Solana', steps: [PAY, ...AT_ONCE], kind: 'SOL' },
  ton: { about: 'TON', steps: [PAY], kind: 'TON' },
  'test-network': {
    about: 'Coins without value',
    steps: [
      { ...CHOOSE, notes: ['test_network'] },
      { ...PAY, notes: ['test_network'] },
      { ...SEEN, notes: ['test_network'] },
      { ...PAID, notes: ['test_network'] },
    ],
    view: { network: 'testnet' },
  },
  onramp: {
    about: 'Coins can be bought with a card, below the checkout of the hosted page',
    steps: [CHOOSE, PAY, SEEN],
    view: { onramp: 'https://onramp.example/widget?currency=BTC' },
  },
  'long-texts': {
    about: 'Long names, long amounts, several writing systems',
    steps: [
      CHOOSE,
      PAY,
      { stage: 'underpaid', arrivals: [{ percent: 50, confirmations: 1 }] },
      SEEN,
      PAID,
    ],
    kind: 'ETH_SHIB',
    kinds: ['ETH_SHIB', 'BTC', 'ETH', 'USDT-BSC', 'ETH-ARBITRUM', 'L-USDT', 'ETH_USD1'],
    perDollar: '16000',
    view: {
      merchant: {
        name: 'Vereinigte Kaffeeröstereien und Teehandelsgesellschaft mit beschränkter Haftung & Söhne, Донаудампфшиффартс 株式会社',
        contact: 'mailto:very.long.name.of.a.help.desk@a-very-long-domain-name-of-a-shop.example',
        logo: null,
        legal: null,
      },
      order: {
        order_id: 'ORDER-2026-11-21-0000000000000000000000000000000000000001042',
        description:
          'Enamel mug, sea green, with a handle · קומה שנייה · כוס אמייל · فنجان مطلي بالمينا · एनामेल मग · 琺瑯マグカップ · Donaudampfschifffahrtsgesellschaftskapitänsmützenhalterung',
        amount: { amount: '1234567890.50', currency: 'IDR' },
      },
    },
  },
} satisfies Record<string, Scene>;
