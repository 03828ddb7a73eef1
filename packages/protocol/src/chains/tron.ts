import { type ChainDetails, defineChain } from './chain.ts';

export const tron = defineChain({
  id: 'tron',
  name: 'TRON (TRC20)',
  family: 'tron',
  blockSeconds: 3,
  finalConfirmations: 20,
  coins: {
    TRX: ['TRON', 'TRX', 6],
    'USDT-TRX': ['Tether', 'USDT', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    'USDC-TRX': ['USD Coin', 'USDC', 6, 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'],
  },
});

export const tronDetails: ChainDetails<keyof typeof tron.coins> = {
  explorer: 'https://tronscan.org/#/transaction/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 5,
  finalizedBlock: null,
  minimumWithdrawals: {
    TRX: '20',
    'USDT-TRX': '10',
    'USDC-TRX': '10',
  },
  markets: {
    TRX: {
      sandboxUsd: '0.28',
      binance: ['TRXUSDT'],
      bitfinex: 'tTRXUSD',
      coingecko: 'tron',
      kraken: 'TRXUSD',
    },
  },
};
