import { parseAmount } from './amount.ts';

/**
 * What exchanges commonly send at least, per kind, in the coin. As of 2026-11: a rough guide after what large exchanges publish, each
 * has numbers of its own and changes them. It is only ever a reason to warn, never to refuse; a kind that is not listed gets no warning.
 */
const MINIMUM_WITHDRAWALS: Readonly<Record<string, string>> = {
  BTC: '0.0002',
  BTC_P2SH: '0.0002',
  BTC_BECH32: '0.0002',
  BTC_LIGHTNING: '0.00002',
  LTC: '0.01',
  DOGE: '10',
  'L-BTC': '0.0002',
  'L-USDT': '10',
  XRP: '2',
  TON: '0.5',
  'USDT-TON': '5',
  'NOT-TON': '500',
  SOL: '0.05',
  'USDT-SOL': '5',
  'USDC-SOL': '5',
  'BONK-SOL': '200000',
  'TRUMP-SOL': '1',
  ETH: '0.003',
  ETH_USDT: '10',
  ETH_USDC: '10',
  ETH_TUSD: '10',
  ETH_PAX: '10',
  ETH_GUSD: '10',
  ETH_DAI: '10',
  ETH_SAND: '20',
  ETH_SHIB: '500000',
  ETH_BUSD: '10',
  ETH_SHFL: '30',
  ETH_cbBTC: '0.0003',
  ETH_USD1: '10',
  'ETH-BASE': '0.001',
  'USDC-BASE': '5',
  'cbBTC-BASE': '0.0002',
  'ETH-ARBITRUM': '0.001',
  'USDT-ARBITRUM': '5',
  'USDC-ARBITRUM': '5',
  'USDCE-ARBITRUM': '5',
  POL: '10',
  'USDT-POLYGON': '5',
  'USDC-POLYGON': '5',
  'USDCE-POLYGON': '5',
  BNB: '0.005',
  'USDT-BSC': '10',
  'USDC-BSC': '10',
  'ETH-BSC': '0.001',
  'DAI-BSC': '10',
  'SHIB-BSC': '500000',
  BUSD: '10',
  'USD1-BSC': '10',
  CELO: '1',
  'CELO-CELO': '1',
  'CUSD-CELO': '5',
  'USDT-CELO': '5',
  'USDC-CELO': '5',
  TRX: '20',
  'USDT-TRX': '10',
  'USDC-TRX': '10',
};

/**
 * What exchanges commonly send at least, when an amount is less; otherwise null.
 * @param amount decimal string in the coin
 * @example minimumWithdrawal('BTC', '0.0001') // '0.0002'
 */
export function minimumWithdrawal(kind: string, amount: string): string | null {
  const minimum = Object.hasOwn(MINIMUM_WITHDRAWALS, kind) ? MINIMUM_WITHDRAWALS[kind] : undefined;
  return minimum !== undefined && parseAmount(amount) > 0n && parseAmount(amount) < parseAmount(minimum) ? minimum : null;
}
