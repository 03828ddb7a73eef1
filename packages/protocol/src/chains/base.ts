import { type ChainDetails, defineChain } from './chain.ts';

export const base = defineChain({
  id: 'base',
  name: 'Base',
  family: 'evm',
  evmChainId: 8453,
  testEvmChainId: 84532,
  blockSeconds: 2,
  finalConfirmations: 12,
  coins: {
    'ETH-BASE': ['Ethereum', 'ETH', 18],
    'USDC-BASE': ['USD Coin', 'USDC', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    'cbBTC-BASE': [
      'Coinbase Wrapped BTC',
      'cbBTC',
      8,
      '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
    ],
  },
});

export const baseDetails: ChainDetails<keyof typeof base.coins> = {
  explorer: 'https://basescan.org/tx/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 5,
  finalizedBlock: 'funds',
  minimumWithdrawals: {
    'ETH-BASE': '0.001',
    'USDC-BASE': '5',
    'cbBTC-BASE': '0.0002',
  },
  markets: {},
};
