import { type ChainDetails, defineChain } from './chain.ts';

export const bsc = defineChain({
  id: 'bsc',
  name: 'BNB Smart Chain (BEP20)',
  family: 'evm',
  evmChainId: 56,
  testEvmChainId: 97,
  blockSeconds: 0.45,
  finalConfirmations: 30,
  coins: {
    BNB: ['BNB', 'BNB', 18],
    'USDT-BSC': ['Tether', 'USDT', 18, '0x55d398326f99059fF775485246999027B3197955'],
    'USDC-BSC': ['USD Coin', 'USDC', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'],
    'ETH-BSC': ['Ethereum', 'ETH', 18, '0x2170Ed0880ac9A755fd29B2688956BD959F933F8'],
    'DAI-BSC': ['Dai', 'DAI', 18, '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3'],
    'SHIB-BSC': ['Shiba Inu', 'SHIB', 18, '0x2859e4544C4bB03966803b044A93563Bd2D0DD4D'],
    BUSD: ['Binance USD', 'BUSD', 18, '0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56'],
    WBNB: ['Wrapped BNB', 'WBNB', 18, '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c'],
    'USD1-BSC': ['World Liberty USD', 'USD1', 18, '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d'],
  },
});

export const bscDetails: ChainDetails<keyof typeof bsc.coins> = {
  explorer: 'https://bscscan.com/tx/',
  dust: null,
  maxFeeRate: null,
  sandboxFeeRates: null,
  confirmations: 8,
  finalizedBlock: 'earlier',
  minimumWithdrawals: {
    BNB: '0.005',
    'USDT-BSC': '10',
    'USDC-BSC': '10',
    'ETH-BSC': '0.001',
    'DAI-BSC': '10',
    'SHIB-BSC': '500000',
    BUSD: '10',
    'USD1-BSC': '10',
  },
  markets: {
    BNB: { sandboxUsd: '900', binance: ['BNBUSDT'], coingecko: 'binancecoin', kraken: 'BNBUSD' },
    WBNB: { sandboxUsd: '900', sameAs: 'BNB' },
  },
};
