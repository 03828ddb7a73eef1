import { type ChainDetails, defineChain } from './chain.ts';

export const lightning = defineChain({
  id: 'lightning',
  name: 'Lightning',
  family: 'lightning',
  walletChain: 'bitcoin',
  asset: 'BTC',
  blockSeconds: 1,
  // A settled payment is final.
  finalConfirmations: 1,
  coins: {
    BTC_LIGHTNING: ['Bitcoin', 'BTC', 8],
    BTC_LIGHTNING_LNURL: ['Bitcoin', 'BTC', 8, undefined, { paymentString: 'lnurl' }],
    BTC_LIGHTNING_TO_LIGHTNING: ['Bitcoin', 'BTC', 8],
  },
});

export const lightningDetails: ChainDetails<keyof typeof lightning.coins> = {
  explorer: null,
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 1,
  finalizedBlock: null,
  minimumWithdrawals: {
    BTC_LIGHTNING: '0.00002',
  },
  markets: {},
};
