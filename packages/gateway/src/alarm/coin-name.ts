import { CHAINS, kindOf, type ChainId } from '@crypto-checkout/protocol/kind';

/** `TRON` of the chain "TRON (TRC20)": an alarm is about the network, not about its tokens. */
export const networkName = (chain: ChainId): string => CHAINS[chain].name.replace(/ \(.*\)$/, '');

/** A coin as an operator names it, for example `USDT on Ethereum`. */
export function coinName(asset: string): string {
  const kind = kindOf(asset);
  return kind ? `${kind.symbol} on ${networkName(kind.chain)}` : asset;
}
