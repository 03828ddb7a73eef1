import type { Checkout, CheckoutCoin, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { encodeQr } from '@crypto-checkout/protocol/qr';
import { gasOf } from '@crypto-checkout/protocol/gas';
import { usualSeconds } from '@crypto-checkout/protocol/usual-time';
import { checkout, lightning, payment, xrp } from '../../../elements/test/support/fixture.ts';
import type { ElementFiles, PageRequest } from '../../src/index.ts';

export const STAGES = [
  'choose',
  'pay',
  'underpaid',
  'seen',
  'paid',
  'complete',
  'expired',
  'late',
  'held',
  'failed',
  'something new',
];

/** File names as long as the build's. */
export const files = (languages: readonly string[]): ElementFiles => {
  const locales = Object.fromEntries(languages.map((code) => [code, `${code}-AbCdEf12.mjs`]));
  const names = [
    'crypto-checkout.mjs',
    'crypto-checkout-ssr.mjs',
    'page-AbCdEf12.mjs',
    ...Object.values(locales),
  ];
  return {
    version: '0.1.0',
    embed: 'crypto-checkout.mjs',
    classic: 'crypto-checkout.js',
    page: 'page-AbCdEf12.mjs',
    ssr: 'crypto-checkout-ssr.mjs',
    locales,
    // Incompressible, like real ones.
    sri: Object.fromEntries(names.map((name) => [name, `sha384-${noise(name)}`])),
    sizes: {},
  };
};

/** 64 pseudo-random characters, the same each time. */
function noise(
  seed: string,
  alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
): string {
  let state = 7;
  for (const character of seed)
    state = (state * 31 + (character.codePointAt(0) ?? 0)) % 2_147_483_647;
  return Array.from({ length: 64 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return alphabet[(state >> 8) % alphabet.length];
  }).join('');
}

export const request = (view: Checkout, overrides: Partial<PageRequest> = {}): PageRequest => ({
  checkout: view,
  acceptLanguage: null,
  lang: null,
  basePath: '',
  publicUrl: 'https://pay.example',
  successUrl: null,
  secure: true,
  ...overrides,
});

/** Every coin, once on each network, as buyers are offered them. */
export const ALL_COINS: readonly CheckoutCoin[] = KINDS.filter(
  (kind, at) =>
    KINDS.findIndex(({ asset, network }) => asset === kind.asset && network === kind.network) ===
    at,
).map((kind) => ({
  kind: kind.kind,
  name: kind.name,
  network: kind.network,
  symbol: kind.symbol,
  approx: (1234.567891 * (1 + (kind.symbol.charCodeAt(0) % 17))).toFixed(5),
  fee_usd: null,
  seconds: usualSeconds(kind, 3),
  gas: gasOf(kind),
}));

const whole = {
  coins: ALL_COINS,
  shop_url: 'https://shop.example/orders/1042',
  merchant: {
    name: 'Quay & Co.',
    contact: 'https://shop.example/help',
    logo: 'https://pay.example/merchant/AbCdEf12.svg',
    legal: {
      name: 'Quay & Co. Handelsgesellschaft mbH',
      address: 'Am Germaniahafen 12, 24143 Kiel',
      country: 'DE',
      asked: true,
    },
  },
};

/**
 * A payment request of realistic length: with a description and routing hints, in random bech32
 * letters.
 */
const LONG_REQUEST = `lnbc812340n1${Array.from({ length: 5 }, (_, at) => noise(`hop ${at}`, 'qpzry9x8gf2tvdw0s3jn54khce6mua7l')).join('')}`;

const overLightning = (overrides: Partial<CheckoutPayment> = {}): CheckoutPayment =>
  payment({
    kind: 'BTC_LIGHTNING',
    network: 'Lightning',
    address: null,
    lightning: { payment_request: LONG_REQUEST, lnurl: null },
    strings: {
      qr: `lightning:${LONG_REQUEST.toUpperCase()}`,
      link: `lightning:${LONG_REQUEST}`,
      address: LONG_REQUEST,
      amount: '0.00081234',
      tag: null,
    },
    qr: encodeQr(`lightning:${LONG_REQUEST.toUpperCase()}`),
    ...overrides,
  });

/** One code for an address and a lightning request of realistic length. */
const withLightning = (overrides: Partial<CheckoutPayment> = {}): CheckoutPayment => {
  const { address, strings } = payment();
  const qr = `bitcoin:${address!.toUpperCase()}?amount=0.00081234&lightning=${LONG_REQUEST.toUpperCase()}`;
  return payment({
    lightning: { payment_request: LONG_REQUEST, lnurl: null },
    strings: {
      ...strings,
      qr,
      link: `bitcoin:${address}?amount=0.00081234&lightning=${LONG_REQUEST}`,
    },
    qr: encodeQr(qr),
    ...overrides,
  });
};

const CONFIDENTIAL =
  'lq1qqvxk052kf3qtkxmrakx50a9gc3smqad2ync54hzntjt980kfej9kkfe0247rp5h4yzmdftsahhw64uy8pzfe7cpg4fgykm7cv';
const onLiquid = (): CheckoutPayment =>
  payment({
    kind: 'L-USDT',
    name: 'Tether',
    network: 'Liquid',
    symbol: 'USDT',
    address: CONFIDENTIAL,
    public_address: 'ex1qywh4tcxrfw5jpdk54wrmmwa40pppczuqzlx8h0',
    due: '49.93',
    remaining: '49.93',
    strings: {
      qr: `liquidnetwork:${CONFIDENTIAL}?amount=49.93&assetid=ce091c998b83c78bb71a632313ba3760f1763d9cfcffae02258ffa9865a37bd2`,
      link: `liquidnetwork:${CONFIDENTIAL}?amount=49.93&assetid=ce091c998b83c78bb71a632313ba3760f1763d9cfcffae02258ffa9865a37bd2`,
      address: CONFIDENTIAL,
      amount: '49.93',
      tag: null,
    },
  });

const paidPart = (): Partial<CheckoutPayment> => {
  const { paid, remaining, transactions } = checkout('underpaid').payment!;
  return { paid, remaining, transactions };
};

/** The largest pages, with every option that an operator can switch on. */
export const HEAVY: readonly (readonly [name: string, view: Checkout, show?: string])[] = [
  ['choose', checkout('choose', { ...whole, notes: ['test_network'] })],
  [
    'pay',
    checkout('pay', {
      ...whole,
      notes: ['test_network'],
      payment: payment({ extendable: true }),
      onramp: 'https://ramp.example/buy?key=abc',
    }),
  ],
  [
    'pay, lightning',
    checkout('pay', {
      ...whole,
      notes: ['test_network'],
      payment: overLightning({ extendable: true }),
    }),
  ],
  [
    'pay, bitcoin with lightning',
    checkout('pay', {
      ...whole,
      notes: ['test_network'],
      payment: withLightning({ extendable: true }),
    }),
  ],
  ['pay, XRP', { ...xrp(), ...whole, notes: ['test_network'] }],
  ['pay, Liquid', checkout('pay', { ...whole, notes: ['test_network'], payment: onLiquid() })],
  [
    'exchange',
    checkout('pay', {
      ...whole,
      notes: ['test_network'],
      payment: { ...onLiquid(), from: 'exchange', minimum_withdrawal: '60', extendable: true },
    }),
  ],
  [
    'exchange, XRP',
    {
      ...xrp(),
      ...whole,
      notes: ['test_network'],
      payment: { ...xrp().payment!, from: 'exchange', minimum_withdrawal: '25' },
    },
  ],
  ['underpaid', checkout('underpaid', { ...whole, notes: ['test_network', 'replaced'] })],
  [
    'underpaid, lightning',
    checkout('underpaid', {
      ...whole,
      notes: ['test_network', 'replaced'],
      payment: overLightning(paidPart()),
    }),
  ],
  ['expired', checkout('expired', whole)],
  ['late', checkout('late', { ...whole, notes: ['test_network', 'wrong_coin'] })],
  [
    'complete',
    checkout('complete', { ...whole, notes: ['test_network', 'overpaid', 'paid_twice'] }),
  ],
  [
    'receipt',
    checkout('complete', { ...whole, notes: ['test_network', 'overpaid', 'paid_twice'] }),
    'receipt',
  ],
  ['other coins', checkout('pay', { ...whole, notes: ['test_network'] }), 'coins'],
  ['an old fixture', lightning()],
];
