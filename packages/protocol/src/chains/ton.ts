import { type ChainDetails, defineChain } from './chain.ts';

export const ton = defineChain({
  id: 'ton',
  name: 'TON',
  family: 'ton',
  blockSeconds: 5,
  finalConfirmations: 1,
  coins: {
    // Exchanges renamed the coin Gram in 2026; the kind stays TON.
    TON: ['Gram', 'GRAM', 9],
    'USDT-TON': ['Tether', 'USDT', 6, 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'],
    'NOT-TON': ['Notcoin', 'NOT', 9, 'EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT'],
  },
});

export const tonDetails: ChainDetails<keyof typeof ton.coins> = {
  explorer: 'https://tonviewer.com/transaction/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 1,
  finalizedBlock: null,
  minimumWithdrawals: {
    TON: '0.5',
    'USDT-TON': '5',
    'NOT-TON': '500',
  },
  markets: {
    GRAM: {
      sandboxUsd: '1.8',
      binance: ['TONUSDT', 'GRAMUSDT'],
      coingecko: 'the-open-network',
      kraken: 'TONUSD',
    },
    NOT: { sandboxUsd: '0.0007', binance: ['NOTUSDT'], coingecko: 'notcoin' },
    TON: { sandboxUsd: '1.8', sameAs: 'GRAM' },
  },
};
