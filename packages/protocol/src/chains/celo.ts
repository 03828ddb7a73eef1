import { type ChainDetails, defineChain } from './chain.ts';

export const celo = defineChain({
  id: 'celo',
  name: 'Celo',
  family: 'evm',
  evmChainId: 42220,
  testEvmChainId: 11142220,
  blockSeconds: 1,
  finalConfirmations: 12,
  coins: {
    CELO: ['Celo', 'CELO', 18],
    'CELO-CELO': ['Celo', 'CELO', 18, '0x471EcE3750Da237f93B8E339c536989b8978a438'],
    'CUSD-CELO': ['Celo Dollar', 'cUSD', 18, '0x765DE816845861e75A25fCA122bb6898B8B1282a'],
    'USDT-CELO': ['Tether', 'USDT', 6, '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e'],
    'USDC-CELO': ['USD Coin', 'USDC', 6, '0xcebA9300f2b948710d2653dD7B07f33A8B32118C'],
  },
});

export const celoDetails: ChainDetails<keyof typeof celo.coins> = {
  explorer: 'https://celoscan.io/tx/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 5,
  finalizedBlock: 'funds',
  minimumWithdrawals: {
    CELO: '1',
    'CELO-CELO': '1',
    'CUSD-CELO': '5',
    'USDT-CELO': '5',
    'USDC-CELO': '5',
  },
  markets: {
    CELO: { sandboxUsd: '0.2', binance: ['CELOUSDT'], coingecko: 'celo' },
    cUSD: { sandboxUsd: '1', coingecko: 'celo-dollar' },
  },
};
