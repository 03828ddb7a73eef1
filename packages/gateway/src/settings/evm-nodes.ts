import { CHAINS, type EvmChainId } from '@crypto-checkout/protocol/kind';
import { ConfigError } from '@crypto-checkout/chains/error';
import {
  listOf,
  setting,
  text,
  type Refuse,
  type Setting,
  type SettingValues,
} from '@crypto-checkout/protocol/schema/setting';
import { z } from 'zod';
import { nodeAddress } from './node-address.ts';

export type Headers = Readonly<Record<string, string>>;

/** A provider of a chain's node. */
export interface NodeProvider {
  /** May hold user and password. */
  url: string;
  headers: Headers;
}

/** The node of one EVM chain. */
export interface EvmNodeConfig {
  /** In the order of preference. Empty: the chain has no node. */
  providers: readonly NodeProvider[];
  /** Contracts by kind. Null: those of the main network, and no tokens on a test network. */
  tokens: Readonly<Record<string, string>> | null;
}

/** The first word of the settings of each chain. A chain without a row does not compile. */
const PREFIXES = {
  ethereum: 'ETH',
  base: 'BASE',
  arbitrum: 'ARBITRUM',
  polygon: 'POLYGON',
  bsc: 'BSC',
  celo: 'CELO',
} as const satisfies Record<EvmChainId, string>;

type Prefix = (typeof PREFIXES)[EvmChainId];
type NodeSettings = { [P in Prefix as `${P}_RPC_URL`]: Setting<readonly string[]> } & {
  [P in Prefix as `${P}_RPC_HEADERS`]: Setting<Headers | readonly Headers[]>;
} & {
  [P in Prefix as `${P}_TOKENS`]: Setting<EvmNodeConfig['tokens']>;
};

/** Every EVM chain that a node can serve. */
export const EVM_CHAINS = Object.keys(PREFIXES) as EvmChainId[];

/** The names of a chain's settings, for tables and error messages. */
export function nodeSettingNames(chain: EvmChainId) {
  const prefix = PREFIXES[chain];
  return {
    url: `${prefix}_RPC_URL`,
    headers: `${prefix}_RPC_HEADERS`,
    tokens: `${prefix}_TOKENS`,
    sweepTo: `SWEEP_TO_${prefix}`,
  } as const;
}

/** The settings of the nodes, for the table of all settings. */
export const NODE_SETTINGS = Object.fromEntries(
  EVM_CHAINS.flatMap((chain) => {
    const names = nodeSettingNames(chain);
    const network = CHAINS[chain].name.replace(/ \(.*/, '');
    return [
      [
        names.url,
        setting(
          '',
          listOf(readProvider),
          `JSON-RPC URL of a node of ${network}, or several separated by commas, the preferred one first. Without it, a test network simulates the chain, and a main network does not offer it.`,
        ),
      ],
      [
        names.headers,
        setting(
          '',
          text.transform(readHeaders),
          `HTTP headers for that node as JSON, {"x-api-key":"…"}; with several URLs a list of one object for each.`,
        ),
      ],
      [
        names.tokens,
        setting(
          '',
          text.transform(readTokens),
          `Token contracts on that node as JSON, ${exampleTokens(chain)}; by default those of the main network.`,
        ),
      ],
    ];
  }),
) as NodeSettings;

/** URLs and headers of nodes often hold a key. */
export const SECRET_NODE_SETTINGS = EVM_CHAINS.flatMap((chain) => {
  const { url, headers } = nodeSettingNames(chain);
  return [url, headers];
});

/**
 * The node of each chain, from the values of the settings.
 * @throws ConfigError when headers and URLs differ in number, and when two chains share a node
 */
export function nodeConfigs(
  values: SettingValues<NodeSettings>,
): Readonly<Record<EvmChainId, EvmNodeConfig>> {
  const nodes = Object.fromEntries(
    EVM_CHAINS.map((chain): [EvmChainId, EvmNodeConfig] => {
      const names = nodeSettingNames(chain);
      const urls = values[names.url];
      const headers: Headers[] = [values[names.headers]].flat();
      const isGiven = headers.some((one) => Object.keys(one).length > 0);
      if (isGiven && headers.length !== urls.length)
        throw new ConfigError(
          `${names.headers} must have one object for each address of ${names.url}.`,
        );
      const providers = urls.map((url, at) => ({ url, headers: headers[at] ?? {} }));
      return [chain, { providers, tokens: values[names.tokens] }];
    }),
  ) as Record<EvmChainId, EvmNodeConfig>;
  requireOwnNodes(nodes);
  return nodes;
}

/**
 * A development chain passes for each of these chains: both would credit the same payment, and send
 * with the same nonces. A proxy may choose the node by a header or by the login.
 */
function requireOwnNodes(nodes: Readonly<Record<EvmChainId, EvmNodeConfig>>): void {
  const found = new Map<string, EvmChainId>();
  for (const chain of EVM_CHAINS)
    for (const { url, headers } of nodes[chain].providers) {
      const node = JSON.stringify([nodeAddress(url).href, sameHeaders(headers)]);
      const other = found.get(node);
      if (other !== undefined && other !== chain)
        throw new ConfigError(
          `${nodeSettingNames(other).url} and ${nodeSettingNames(chain).url} name the same node; give each chain a node of its own.`,
        );
      found.set(node, chain);
    }
}

/** RFC 9110, "Field Names": case has no meaning in them, nor has their order. */
const sameHeaders = (headers: Headers): (readonly [string, string])[] =>
  Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

function exampleTokens(chain: EvmChainId): string {
  const token = Object.entries(CHAINS[chain].coins).find(([, [, , , contract]]) => contract);
  return `{"${token?.[0] ?? ''}":"0x…"}`;
}

function readProvider(item: string, refuse: Refuse): string | undefined {
  const parsed = URL.canParse(item) ? new URL(item) : null;
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return item;
  refuse('must hold http or https URLs, separated by commas');
  return undefined;
}

/** RFC 9110, "Field Names" and "Field Values". */
const headers = z.record(
  z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/),
  z.string().regex(/^[\x20-\x7e]*$/),
);

function readHeaders(value: string, check: z.RefinementCtx): Headers | readonly Headers[] {
  if (value === '') return {};
  try {
    return z.union([headers, z.array(headers)]).parse(JSON.parse(value));
  } catch {
    check.addIssue('must be JSON, an object of header names and values or a list of them');
    return {};
  }
}

function readTokens(value: string, check: z.RefinementCtx): Record<string, string> | null {
  if (value === '') return null;
  try {
    return z.record(z.string(), z.string().regex(/^0x[0-9a-fA-F]{40}$/)).parse(JSON.parse(value));
  } catch {
    check.addIssue('must be a JSON object of kinds and contracts');
    return null;
  }
}
