import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';

type Coins = readonly CheckoutCoin[];

/** Whether another coin has the same symbol and network, such as the address forms of bitcoin. */
export const isVariant = (coin: CheckoutCoin, coins: Coins): boolean =>
  coins.find(({ symbol, network }) => symbol === coin.symbol && network === coin.network) !== coin;

/** Whether the asset alone identifies the network: it is on its own chain and offered once. */
export function isOnOwnChain(coin: CheckoutCoin, coins: Coins): boolean {
  const { kind, name, network, symbol, gas } = coin;
  const alone = coins.every((other) => other === coin || other.name !== name);
  return alone && !gas && (kind === symbol || network.startsWith(name));
}

/** Groups coins by name, in their order: Tether on Liquid has another symbol. */
export function groupByAsset(ordered: Coins, coins: Coins): CheckoutCoin[][] {
  const groups = new Map<string, CheckoutCoin[]>();
  for (const coin of ordered) {
    const asset = isVariant(coin, coins) ? coin.kind : coin.name;
    groups.set(asset, [...(groups.get(asset) ?? []), coin]);
  }
  return [...groups.values()];
}
