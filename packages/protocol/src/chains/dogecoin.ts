import { type ChainDetails, defineChain } from './chain.ts';

export const dogecoin = defineChain({
  id: 'dogecoin',
  name: 'Dogecoin',
  family: 'utxo',
  scheme: 'dogecoin',
  mempool: true,
  blockSeconds: 60,
  finalConfirmations: 6,
  coins: {
    DOGE: ['Dogecoin', 'DOGE', 8],
  },
});

export const dogecoinDetails: ChainDetails<keyof typeof dogecoin.coins> = {
  explorer: 'https://dogechain.info/tx/',
  dust: '0.01',
  maxFeeRate: 100_000,
  sandboxFeeRates: { high: 2_000, normal: 1_000, economy: 1_000 },
  confirmations: 3,
  finalizedBlock: null,
  utxo: {
    coinType: 3,
    addressFormat: 'p2pkh',
    mainnet: { bech32: null, pubKeyHash: 0x1e, scriptHash: 0x16, wif: 0x9e },
    testnet: { bech32: null, pubKeyHash: 0x71, scriptHash: 0xc4, wif: 0xf1 },
    regtest: { bech32: null, pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
  },
  minimumWithdrawals: {
    DOGE: '10',
  },
  markets: {
    DOGE: {
      sandboxUsd: '0.16',
      binance: ['DOGEUSDT'],
      bitfinex: 'tDOGE:USD',
      bitstamp: 'DOGE/USD',
      coinbase: 'DOGE',
      coingecko: 'dogecoin',
      kraken: 'XDGUSD',
    },
  },
};
