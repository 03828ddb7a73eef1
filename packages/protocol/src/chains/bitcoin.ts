import { type ChainDetails, defineChain } from './chain.ts';

export const bitcoin = defineChain({
  id: 'bitcoin',
  name: 'Bitcoin',
  family: 'utxo',
  scheme: 'bitcoin',
  mempool: true,
  asset: 'BTC',
  blockSeconds: 600,
  finalConfirmations: 6,
  coins: {
    BTC: ['Bitcoin', 'BTC', 8],
    BTC_P2SH: ['Bitcoin', 'BTC', 8],
    BTC_BECH32: ['Bitcoin', 'BTC', 8],
  },
});

export const bitcoinDetails: ChainDetails<keyof typeof bitcoin.coins> = {
  explorer: 'https://mempool.space/tx/',
  // Bitcoin Core's default for P2PKH.
  dust: '0.00000546',
  maxFeeRate: 1_000,
  sandboxFeeRates: { high: 20, normal: 10, economy: 4 },
  confirmations: 1,
  finalizedBlock: null,
  utxo: {
    coinType: 0,
    addressFormat: 'bech32',
    mainnet: { bech32: 'bc', pubKeyHash: 0x00, scriptHash: 0x05, wif: 0x80 },
    testnet: { bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
    regtest: { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
  },
  minimumWithdrawals: {
    BTC: '0.0002',
    BTC_P2SH: '0.0002',
    BTC_BECH32: '0.0002',
  },
  markets: {
    BTC: {
      sandboxUsd: '96000',
      binance: ['BTCUSDT'],
      bitfinex: 'tBTCUSD',
      bitstamp: 'BTC/USD',
      coinbase: 'BTC',
      coingecko: 'bitcoin',
      kraken: 'XXBTZUSD',
    },
  },
};
