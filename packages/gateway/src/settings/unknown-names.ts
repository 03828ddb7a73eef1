import { UTXO_CHAINS } from '@crypto-checkout/chains/bitcoin/network';
import { ConfigError } from '@crypto-checkout/chains/error';
import type { Environment } from '@crypto-checkout/protocol/schema/setting';
import { misspelledNames } from '@crypto-checkout/protocol/spelling';
import { bitcoinSettingNames } from './bitcoin.ts';
import { EVM_CHAINS, nodeSettingNames } from './evm-nodes.ts';

/** The names of each chain's settings, by its id. */
const NAMES: readonly { chain: string; names: Readonly<Record<string, string>> }[] = [
  ...EVM_CHAINS.map((chain) => ({ chain, names: nodeSettingNames(chain) })),
  ...UTXO_CHAINS.map((chain) => ({ chain, names: bitcoinSettingNames(chain) })),
];

/** `ETHEREUM_RPC_URL` and `SWEEP_TO_ETHEREUM` for `ETH_RPC_URL` and `SWEEP_TO_ETH`. */
const MEANT: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap(({ chain, names }) => {
    const prefix = names['url']!.replace(/_RPC_URL$/, '');
    const written = chain.toUpperCase();
    if (written === prefix) return [];
    return Object.values(names).map((name): [string, string] => [
      name.startsWith('SWEEP_TO_') ? `SWEEP_TO_${written}` : name.replace(prefix, written),
      name,
    ]);
  }),
);
const DATABASE = 'DATABASE_URL';
const SWEEPS: readonly string[] = EVM_CHAINS.map((chain) => nodeSettingNames(chain).sweepTo);

/**
 * Deposits of a chain without a cold address go to the hot one, so a wrong name must not pass in
 * silence.
 * @throws ConfigError
 */
export function requireKnownSweeps(env: Environment): void {
  for (const name of setNames(env)) {
    if (!name.startsWith('SWEEP_TO_') || SWEEPS.includes(name)) continue;
    const meant = MEANT.get(name);
    throw new ConfigError(
      meant === undefined
        ? `${name} is unknown: a cold address can have the name ${SWEEPS.join(', ')}.`
        : `${name} is unknown; is ${meant} meant?`,
    );
  }
}

/**
 * Without DATABASE_URL an empty database is started, so a wrong name must not pass in silence.
 * @throws ConfigError
 */
export function requireKnownDatabase(env: Environment, known: readonly string[]): void {
  const names = setNames(env);
  if (names.includes(DATABASE)) return;
  const strange = names.filter((name) => !known.includes(name));
  const [misspelled] = misspelledNames(strange, [DATABASE]);
  if (misspelled !== undefined)
    throw new ConfigError(`The setting ${misspelled[0]} is unknown; is ${DATABASE} meant?`);
}

/** One sentence for each name that has no effect and resembles a setting, or lacks its node. */
export function settingsWithoutEffect(env: Environment, known: readonly string[]): string[] {
  const names = setNames(env);
  const strange = names.filter((name) => !known.includes(name));
  const misspelled = new Map([
    ...misspelledNames(strange, known),
    ...strange.flatMap((name): [string, string][] => {
      const meant = MEANT.get(name);
      return meant === undefined ? [] : [[name, meant]];
    }),
  ]);
  return [
    ...[...misspelled].map(([name, meant]) => `The setting ${name} is unknown; is ${meant} meant?`),
    ...NAMES.flatMap(({ names: own }) => withoutNode(names, own)),
  ];
}

function withoutNode(names: readonly string[], own: Readonly<Record<string, string>>): string[] {
  const { url = '', sweepTo: _, ...others } = own;
  if (names.includes(url)) return [];
  return Object.values(others)
    .filter((name) => names.includes(name))
    .map((name) => `The setting ${name} has no effect without ${url}.`);
}

/** An empty variable counts as unset. */
const setNames = (env: Environment): string[] =>
  Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [name] : []));
