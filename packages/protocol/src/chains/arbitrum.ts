import { type ChainDetails, defineChain } from './chain.ts';

export const arbitrum = defineChain({
  id: 'arbitrum',
  name: 'Arbitrum One',
  family: 'evm',
  evmChainId: 42161,
  testEvmChainId: 421614,
  blockSeconds: 0.25,
  finalConfirmations: 40,
  coins: {
    'ETH-ARBITRUM': ['Ethereum', 'ETH', 18],
    'USDT-ARBITRUM': ['Tether', 'USDT', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'],
    'USDC-ARBITRUM': ['USD Coin', 'USDC', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
    'USDCE-ARBITRUM': [
      'Bridged USD Coin',
      'USDC.e',
      6,
      '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
    ],
  },
});

export const arbitrumDetails: ChainDetails<keyof typeof arbitrum.coins> = {
  explorer: 'https://arbiscan.io/tx/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 8,
  finalizedBlock: 'funds',
  minimumWithdrawals: {
    'ETH-ARBITRUM': '0.001',
    'USDT-ARBITRUM': '5',
    'USDC-ARBITRUM': '5',
    'USDCE-ARBITRUM': '5',
  },
  markets: {
    'USDC.e': { sandboxUsd: '1', sameAs: 'USDC' },
  },
};
