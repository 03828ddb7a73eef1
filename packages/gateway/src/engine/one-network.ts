import { ConfigError } from '@crypto-checkout/chains/error';

export type Network = 'mainnet' | 'testnet';

/** Networks by the names of the settings that name their nodes. */
export type Networks = Readonly<Record<string, Network>>;

/**
 * An account belongs to one network.
 * @throws ConfigError when nodes of main networks and of test networks are set
 */
export function requireOneNetwork(found: Networks): void {
  if (new Set(Object.values(found)).size <= 1) return;
  const each = Object.entries(found).map(
    ([setting, network]) => `${setting} is on a ${network === 'mainnet' ? 'main' : 'test'} network`,
  );
  throw new ConfigError(
    `All nodes must be on main networks, or all on test networks: ${each.join(', ')}.`,
  );
}
