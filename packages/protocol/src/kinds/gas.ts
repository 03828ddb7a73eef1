import { type Kind, KINDS } from './kind.ts';

/**
 * Symbol of the coin that pays the network fee; null when the coin pays it itself. A wallet that
 * holds only the token cannot send it.
 * @example gasOf(kindOf('USDT-TRX')!) // 'TRX'
 */
export function gasOf(kind: Kind): string | null {
  if (!kind.token) return null;
  const own = KINDS.find(({ chain, token }) => chain === kind.chain && !token);
  return own && own.symbol !== kind.symbol ? own.symbol : null;
}
