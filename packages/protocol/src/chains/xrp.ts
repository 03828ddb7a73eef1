import { type ChainDetails, defineChain } from './chain.ts';

export const xrp = defineChain({
  id: 'xrp',
  name: 'XRP Ledger',
  family: 'xrp',
  blockSeconds: 4,
  finalConfirmations: 1,
  coins: {
    XRP: ['XRP', 'XRP', 6],
  },
});

export const xrpDetails: ChainDetails<keyof typeof xrp.coins> = {
  explorer: 'https://livenet.xrpl.org/transactions/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 1,
  finalizedBlock: null,
  minimumWithdrawals: {
    XRP: '2',
  },
  markets: {
    XRP: {
      sandboxUsd: '2.2',
      binance: ['XRPUSDT'],
      bitfinex: 'tXRPUSD',
      bitstamp: 'XRP/USD',
      coinbase: 'XRP',
      coingecko: 'ripple',
      kraken: 'XXRPZUSD',
    },
  },
};
