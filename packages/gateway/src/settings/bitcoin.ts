import { CHAINS } from '@crypto-checkout/protocol/kind';
import { ConfigError } from '@crypto-checkout/chains/error';
import {
  type BitcoinNetworkName,
  networkNames,
  UTXO_CHAINS,
  type UtxoChainId,
} from '@crypto-checkout/chains/bitcoin/network';
import {
  listOf,
  optional,
  optionalUrl,
  type Refuse,
  setting,
  type Setting,
  type SettingValues,
} from '@crypto-checkout/protocol/schema/setting';
import { z } from 'zod';
import { nodeAddress } from './node-address.ts';

/** The sources of one Bitcoin-like chain; at least one of them. */
export interface BitcoinNodeConfig {
  node: {
    url: string;
    user: string | null;
    password: string | null;
    cookieFile: string | null;
    /** Addresses of its ZeroMQ publishers. */
    zmq: readonly string[];
  } | null;
  /** URL of a service with Esplora's HTTP interface. */
  esplora: string | null;
  network: BitcoinNetworkName;
}

/** Chains without an entry have neither node nor service. */
export type BitcoinNodes = Readonly<Partial<Record<UtxoChainId, BitcoinNodeConfig>>>;

/** The first word of the settings of each chain. A chain without a row does not compile. */
const PREFIXES = {
  bitcoin: 'BTC',
  litecoin: 'LTC',
  dogecoin: 'DOGE',
} as const satisfies Record<UtxoChainId, string>;

/** Of the main networks, from each project's `chainparamsbase.cpp`. */
const RPC_PORTS = {
  bitcoin: 8332,
  litecoin: 9332,
  dogecoin: 22_555,
} as const satisfies Record<UtxoChainId, number>;

type Prefix = (typeof PREFIXES)[UtxoChainId];
type BitcoinSettings = {
  [
    P in Prefix as
      | `${P}_RPC_URL`
      | `${P}_RPC_USER`
      | `${P}_RPC_PASSWORD`
      | `${P}_RPC_COOKIE`
      | `${P}_ESPLORA_URL`
  ]: Setting<string | null>;
} & { [P in Prefix as `${P}_NETWORK`]: Setting<BitcoinNetworkName> } & {
  [P in Prefix as `${P}_ZMQ_URL`]: Setting<readonly string[]>;
};

/** The names of a chain's settings, for tables and error messages. */
export function bitcoinSettingNames(chain: UtxoChainId) {
  const prefix = PREFIXES[chain];
  return {
    url: `${prefix}_RPC_URL`,
    user: `${prefix}_RPC_USER`,
    password: `${prefix}_RPC_PASSWORD`,
    cookie: `${prefix}_RPC_COOKIE`,
    zmq: `${prefix}_ZMQ_URL`,
    esplora: `${prefix}_ESPLORA_URL`,
    network: `${prefix}_NETWORK`,
  } as const;
}

/** The settings of these nodes, for the table of all settings. */
export const BITCOIN_SETTINGS = Object.fromEntries(
  UTXO_CHAINS.flatMap((chain) => {
    const names = bitcoinSettingNames(chain);
    const { name } = CHAINS[chain];
    const networks = networkNames(chain);
    return [
      [
        names.url,
        setting(
          '',
          optionalUrl,
          `JSON-RPC URL of a node of ${name}, such as http://127.0.0.1:${RPC_PORTS[chain]}. Without it, a test network simulates the chain, and a main network does not offer it.`,
        ),
      ],
      [names.user, setting('', optional, 'User of that node (rpcuser or rpcauth).')],
      [names.password, setting('', optional, 'Password of that node.')],
      [
        names.cookie,
        setting('', optional, 'Cookie file of that node, instead of user and password.'),
      ],
      [
        names.zmq,
        setting(
          '',
          listOf(readPublisher),
          'ZeroMQ addresses at which that node publishes transactions and blocks, such as tcp://127.0.0.1:28332, separated by commas. A message only begins the next look at once.',
        ),
      ],
      [
        names.esplora,
        setting(
          '',
          optionalUrl,
          `URL of a service of ${name} with Esplora's HTTP interface, such as http://127.0.0.1:3000. It serves the chain without a node; beside one it takes over while the node is silent, and compares its blocks (RPC_COMPARE_ABOVE).`,
        ),
      ],
      [
        names.network,
        setting(
          'main',
          z.enum(networks, `must be one of ${networks.join(', ')}`),
          `Network of that node and that service: ${networks.join(', ')}.`,
        ),
      ],
    ];
  }),
) as BitcoinSettings;

/** A URL may hold user and password, or a key. */
export const SECRET_BITCOIN_SETTINGS = UTXO_CHAINS.flatMap((chain) => {
  const { url, user, password, esplora } = bitcoinSettingNames(chain);
  return [url, user, password, esplora];
});

/**
 * The sources of each chain that has one, from the values of the settings.
 * @throws ConfigError when a login is incomplete, there are two, or two coins share a node in
 *   regtest
 */
export function bitcoinConfigs(values: SettingValues<BitcoinSettings>): BitcoinNodes {
  requireOwnNodes(values);
  return Object.fromEntries(
    UTXO_CHAINS.flatMap((chain) => {
      const names = bitcoinSettingNames(chain);
      const url = values[names.url];
      const [user, password, cookieFile] = [
        values[names.user],
        values[names.password],
        values[names.cookie],
      ];
      if ((user === null) !== (password === null))
        throw new ConfigError(`${names.user} and ${names.password} must be set together.`);
      if (user !== null && cookieFile !== null)
        throw new ConfigError(
          `Set either ${names.cookie}, or ${names.user} and ${names.password}, not both.`,
        );
      const esplora = values[names.esplora];
      const zmq = values[names.zmq];
      if (zmq.length > 0 && url === null)
        throw new ConfigError(`${names.zmq} needs ${names.url}: it names publishers of that node.`);
      if (url === null && esplora === null) return [];
      const node = url === null ? null : { url, user, password, cookieFile, zmq };
      return [[chain, { node, esplora, network: values[names.network] }]];
    }),
  );
}

/**
 * In regtest one node passes for each coin, and a payment would be credited in all of them.
 * Elsewhere block 0 names the coin, and a proxy may choose the node by the login.
 */
function requireOwnNodes(values: SettingValues<BitcoinSettings>): void {
  const found = new Map<string, string>();
  for (const chain of UTXO_CHAINS) {
    const { url, esplora, network } = bitcoinSettingNames(chain);
    if (values[network] !== 'regtest') continue;
    for (const name of [url, esplora]) {
      const value = values[name];
      if (value === null) continue;
      const { host, pathname, search } = nodeAddress(value);
      const address = `${host}${pathname}${search}`;
      const other = found.get(address);
      if (other !== undefined)
        throw new ConfigError(
          `${other} and ${name} name the same node; in regtest give each coin a node of its own.`,
        );
      found.set(address, name);
    }
  }
}

function readPublisher(item: string, refuse: Refuse): string | undefined {
  const parsed = URL.canParse(item) ? new URL(item) : null;
  if (parsed?.protocol === 'tcp:' && parsed.hostname !== '' && parsed.port !== '') return item;
  refuse('must hold tcp URLs with a port, separated by commas');
  return undefined;
}
