import { type ChainDetails, defineChain } from './chain.ts';

export const litecoin = defineChain({
  id: 'litecoin',
  name: 'Litecoin',
  family: 'utxo',
  scheme: 'litecoin',
  mempool: true,
  blockSeconds: 150,
  finalConfirmations: 6,
  coins: {
    LTC: ['Litecoin', 'LTC', 8],
  },
});

export const litecoinDetails: ChainDetails<keyof typeof litecoin.coins> = {
  explorer: 'https://litecoinspace.org/tx/',
  dust: '0.00005460',
  maxFeeRate: 1_000,
  sandboxFeeRates: { high: 20, normal: 10, economy: 4 },
  confirmations: 2,
  finalizedBlock: null,
  utxo: {
    coinType: 2,
    addressFormat: 'bech32',
    mainnet: { bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 },
    testnet: { bech32: 'tltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
    regtest: { bech32: 'rltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
  },
  minimumWithdrawals: {
    LTC: '0.01',
  },
  markets: {
    LTC: {
      sandboxUsd: '92',
      binance: ['LTCUSDT'],
      bitfinex: 'tLTCUSD',
      bitstamp: 'LTC/USD',
      coinbase: 'LTC',
      coingecko: 'litecoin',
      kraken: 'XLTCZUSD',
    },
  },
};
