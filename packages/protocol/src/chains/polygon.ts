import { type ChainDetails, defineChain } from './chain.ts';

export const polygon = defineChain({
  id: 'polygon',
  name: 'Polygon',
  family: 'evm',
  evmChainId: 137,
  testEvmChainId: 80002,
  blockSeconds: 2,
  finalConfirmations: 20,
  coins: {
    POL: ['Polygon', 'POL', 18],
    'USDT-POLYGON': ['Tether', 'USDT', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
    'USDC-POLYGON': ['USD Coin', 'USDC', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
    'USDCE-POLYGON': [
      'Bridged USD Coin',
      'USDC.e',
      6,
      '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
    ],
  },
});

export const polygonDetails: ChainDetails<keyof typeof polygon.coins> = {
  explorer: 'https://polygonscan.com/tx/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 10,
  finalizedBlock: 'earlier',
  minimumWithdrawals: {
    POL: '10',
    'USDT-POLYGON': '5',
    'USDC-POLYGON': '5',
    'USDCE-POLYGON': '5',
  },
  markets: {
    POL: {
      sandboxUsd: '0.16',
      binance: ['POLUSDT'],
      bitfinex: 'tPOLUSD',
      bitstamp: 'POL/USD',
      coinbase: 'POL',
      coingecko: 'polygon-ecosystem-token',
      kraken: 'POLUSD',
    },
  },
};
