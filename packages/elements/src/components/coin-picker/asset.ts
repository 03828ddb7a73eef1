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

/**
 * The coins that a search means: all that it found if they share a name, otherwise those of exactly
 * this name. A coin that is only like it was not asked for.
 */
export function meantBy(query: string, found: readonly CheckoutCoin[]): readonly CheckoutCoin[] {
  const wanted = query.trim().toLowerCase();
  return wanted && found.some(({ name }) => name !== found[0]!.name)
    ? found.filter(({ name, symbol }) =>
        [name, symbol].some((word) => word.toLowerCase() === wanted),
      )
    : found;
}
