import type { ChainId } from '@crypto-checkout/protocol/kind';

/** Destination of a payment. */
export interface Target {
  address: string | null;
  tag?: string;
  xAddress?: string;
  publicAddress?: string;
  lightning?: { payment_request: string | null; lnurl: string | null };
}

const EVM: Target = { address: '0x593814d3309e2dF31D112824F0bb5aa7Cb0D7d47' };

/**
 * Test network addresses of the published test mnemonic ("abandon … about", index 7): wallets
 * reject them on the main network, in case a page with `demo` goes live. `demo/scenario.test.ts`
 * derives them again.
 */
export const TARGETS: Readonly<Record<ChainId, Target>> = {
  bitcoin: { address: 'tb1qfsryn6hh2yhpxpp7m9dh54x89wettyfk45jn6y' },
  litecoin: { address: 'tltc1qfsryn6hh2yhpxpp7m9dh54x89wettyfkvusd2d' },
  dogecoin: { address: 'nkK7XLvSzS1oYz8ggH4QpDrzKyY92713ab' },
  liquid: {
    address:
      'tlq1qqw642vs498hd57ph7xtweez2yn3usy9dqw3e8rx24jkq3tsguk2q6nqxf840w5fwzvzrak2m0f2vw2ajkkgnvy54ajg0eelhd',
    publicAddress: 'tex1qfsryn6hh2yhpxpp7m9dh54x89wettyfk0ax3su',
  },
  xrp: {
    address: 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3',
    tag: '238187372',
    xAddress: 'TVHLFWLKvbMv1LFzd6FA2Bf9MPpcy4tJ8CN281LHE9EXH7Y',
  },
  ton: { address: '0QC8DtTItF7zSOTUEXqvirBCppTGbMDXTqVI73Mpfw_KkQtL' },
  solana: { address: '9h1cLBiraaUqM1CdJTaVaew1oQtgQUW24FZ8YdnLLgJY' },
  tron: { address: 'TFj86XAQYBPvwUknt9yxmbc4k3zwUC7iVW' },
  ethereum: EVM,
  base: EVM,
  arbitrum: EVM,
  polygon: EVM,
  bsc: EVM,
  celo: EVM,
  lightning: {
    address: null,
    lightning: {
      // 0.00030117 BTC, the price of the harbour mug at the player's rate.
      payment_request:
        'lntb301170n1p4srp7qsp59d4jywcl09qqpskhvkm0ztt4fhqunepfhejn5c6sc0w50ghvh2rspp505mzuj3rtmvl0u0zvnkmarws5wax9w9r9yswxx8kzez8n097c36qdqjfpshycn0w4ezqmt4vuxqzuy9qyysgqgvyz2sn7thy9y9caym4xv3ylkzwmxkuzxan782ckmyrdw9gtqssqv0cxyx3yygtcjzr8dy37jnfpjw9np9drkm7pdl4vuykgh433xlqpxjz3pd',
      lnurl: null,
    },
  },
};

/** The LNURL kind has a code that issues requests of any amount. */
export const LNURL: Target = {
  address: null,
  lightning: {
    payment_request: null,
    lnurl: 'lnurl1dp68gurn8ghj7urp0yhx27rpd4cxcef0d3h82unv9uekvdnxx9sn2vshptcwp',
  },
};
