/** Another asset on the same address: a token for its coin, the coin for its token. */
const WRONG: Record<string, string> = {
  ETH: 'ETH_USDT',
  POL: 'USDC-POLYGON',
  TRX: 'USDT-TRX',
  SOL: 'USDC-SOL',
  BNB: 'USDT-BSC',
  TON: 'USDT-TON',
  'ETH-BASE': 'USDC-BASE',
  'ETH-ARBITRUM': 'USDT-ARBITRUM',
  CELO: 'USDT-CELO',
  BUSD: 'BNB',
  WBNB: 'BNB',
  'L-BTC': 'L-USDT',
  'L-USDT': 'L-BTC',
};
/** The kind itself on a chain with one coin. */
export const wrongKind = (kind: string): string => {
  if (WRONG[kind]) return WRONG[kind];
  const native = Object.entries({
    ETH: /^ETH_/,
    POL: /-POLYGON$/,
    TRX: /-TRX$/,
    SOL: /-SOL$/,
    BNB: /-BSC$/,
    TON: /-TON$/,
    'ETH-BASE': /-BASE$/,
    'ETH-ARBITRUM': /-ARBITRUM$/,
    CELO: /-CELO$/,
  }).find(([, pattern]) => pattern.test(kind));
  return native?.[0] ?? kind;
};
