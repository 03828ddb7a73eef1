import { type ChainDetails, defineChain } from './chain.ts';

export const liquid = defineChain({
  id: 'liquid',
  name: 'Liquid',
  family: 'liquid',
  scheme: 'liquidnetwork',
  mempool: true,
  blockSeconds: 60,
  finalConfirmations: 6,
  coins: {
    // Liquid's own coin also has an asset id.
    'L-BTC': [
      'Liquid Bitcoin',
      'L-BTC',
      8,
      '6f0279e9ed041c3d710a9f57d0c02928416460c4b722ae3457a11eec381c526d',
      {
        testContract: '144c654344aa716d6f3abcc1ca90e5641e4e2a7f633bc09fe3baf64585819a49',
        token: false,
      },
    ],
    'L-USDT': [
      'Tether',
      'L-USDT',
      8,
      'ce091c998b83c78bb71a632313ba3760f1763d9cfcffae02258ffa9865a37bd2',
      { testContract: 'b612eb46313a2cd6ebabd8b7a8eed5696e29898b87a43bff41c94f51acef9d73' },
    ],
  },
});

export const liquidDetails: ChainDetails<keyof typeof liquid.coins> = {
  explorer: 'https://blockstream.info/liquid/tx/',
  dust: null,
  maxFeeRate: 1_000,
  sandboxFeeRates: { high: 1, normal: 1, economy: 1 },
  confirmations: 2,
  finalizedBlock: null,
  minimumWithdrawals: {
    'L-BTC': '0.0002',
    'L-USDT': '10',
  },
  markets: {
    'L-BTC': { sandboxUsd: '95900', sameAs: 'BTC' },
    'L-USDT': { sandboxUsd: '0.999', sameAs: 'USDT' },
  },
};
