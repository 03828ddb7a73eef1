import { type ChainDetails, defineChain } from './chain.ts';

export const solana = defineChain({
  id: 'solana',
  name: 'Solana',
  family: 'solana',
  blockSeconds: 0.4,
  // Solana's `finalized`: 32 slots.
  finalConfirmations: 32,
  coins: {
    SOL: ['Solana', 'SOL', 9],
    'USDT-SOL': ['Tether', 'USDT', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
    'USDC-SOL': ['USD Coin', 'USDC', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
    'WSOL-SOL': ['Wrapped SOL', 'WSOL', 9, 'So11111111111111111111111111111111111111112'],
    'BONK-SOL': ['Bonk', 'BONK', 5, 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'],
    'TRUMP-SOL': ['Official Trump', 'TRUMP', 6, '6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN'],
    // Mint and decimals are unconfirmed.
    'JAMBO-SOL': ['Jambo', 'JAMBO', 9, null],
  },
});

export const solanaDetails: ChainDetails<keyof typeof solana.coins> = {
  explorer: 'https://explorer.solana.com/tx/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 4,
  finalizedBlock: null,
  minimumWithdrawals: {
    SOL: '0.05',
    'USDT-SOL': '5',
    'USDC-SOL': '5',
    'BONK-SOL': '200000',
    'TRUMP-SOL': '1',
  },
  markets: {
    SOL: {
      sandboxUsd: '140',
      binance: ['SOLUSDT'],
      bitfinex: 'tSOLUSD',
      bitstamp: 'SOL/USD',
      coinbase: 'SOL',
      coingecko: 'solana',
      kraken: 'SOLUSD',
    },
    WSOL: { sandboxUsd: '140', sameAs: 'SOL' },
    BONK: {
      sandboxUsd: '0.00001',
      binance: ['BONKUSDT'],
      coinbase: 'BONK',
      coingecko: 'bonk',
      kraken: 'BONKUSD',
    },
    TRUMP: {
      sandboxUsd: '7',
      binance: ['TRUMPUSDT'],
      coinbase: 'TRUMP',
      coingecko: 'official-trump',
      kraken: 'TRUMPUSD',
    },
    JAMBO: { sandboxUsd: '0.05', coingecko: 'jambo-2' },
  },
};
