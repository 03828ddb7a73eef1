import {
  bitcoinNetwork,
  UTXO_CHAINS,
  type UtxoChainId,
} from '@crypto-checkout/chains/bitcoin/network';
import { isCursorOf, ReorganisationTooDeep, sourceOf } from '@crypto-checkout/chains/cursor';
import type { Cursor } from '@crypto-checkout/chains/adapter';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { requireNodeAnswer } from '@crypto-checkout/chains/evm/setup';
import { formatAmount } from '@crypto-checkout/protocol/amount';
import { type ChainId, CHAINS, type EvmChainId } from '@crypto-checkout/protocol/kind';
import type { Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import { type BitcoinConnection, createBitcoinConnection } from '../engine/bitcoin-chain.ts';
import { createEvmProviders, type EvmProviders, type OpenProvider } from '../engine/evm-chain.ts';
import { createLightningChain, type LightningChain } from '../engine/lightning-chain.ts';
import { requireSafeAddresses } from '../engine/node-address.ts';
import { type Network, requireOneNetwork } from '../engine/one-network.ts';
import { signerAddress } from '../engine/open-keys.ts';
import { findKnownNode, type KnownNode, NO_NODE } from '../engine/same-lightning-node.ts';
import { findProgress } from '../engine/scan-progress.ts';
import { bitcoinSettingNames } from '../settings/bitcoin.ts';
import { EVM_CHAINS, nodeSettingNames } from '../settings/evm-nodes.ts';
import { fault, faultOf, type Finding, lookAt, ok, present, readFrom, warning } from './finding.ts';

const MINUTE_MS = 60_000;

/** The findings about one node, and the network that it serves. */
interface NodeLook {
  setting: string;
  /** Null while the node has not named it, and no setting does. */
  network: Network | null;
  answers: boolean;
  findings: Finding[];
}

/** The part of the database that is compared with the nodes. */
interface KnownChains {
  /** How far each chain was read. */
  cursors: ReadonlyMap<ChainId, Cursor | null>;
  lightning: KnownNode;
}

const NOTHING: KnownChains = { cursors: new Map(), lightning: NO_NODE };

/** Asks every node that the settings name: network, synchronisation, abilities, second provider. */
export async function checkNodes(config: Config, db: Db | null): Promise<Finding[]> {
  const evm = EVM_CHAINS.filter((chain) => config.nodes[chain].providers.length > 0);
  const bitcoin = UTXO_CHAINS.filter((chain) => config.bitcoinNodes[chain] !== undefined);
  const { found: known, mistake } = await readFrom(db, NOTHING, async (read) => ({
    cursors: await cursorsOf(read, [...evm, ...bitcoin]),
    lightning: await findKnownNode(read, Date.now()),
  }));
  const cursorOf = (chain: EvmChainId | UtxoChainId): Cursor | null =>
    known.cursors.get(chain) ?? null;
  const looks = await Promise.all([
    ...evm.map((chain) => checkEvm(config, chain, cursorOf(chain))),
    ...bitcoin.map((chain) => checkBitcoin(config, chain, cursorOf(chain))),
    ...(config.lightning === null ? [] : [checkLightning(config, known.lightning)]),
  ]);
  if (looks.length === 0)
    return [fault('nodes', 'No setting names a node, for example ETH_RPC_URL or BTC_RPC_URL.')];
  const found = looks.flatMap(({ setting, network }) =>
    network === null ? [] : [[setting, network] as const],
  );
  return present([
    looks.some(({ answers }) => answers) && found.every(([, network]) => network === 'testnet')
      ? warning('network', 'All nodes are on test networks, and this list is for a main network.')
      : null,
    mistake,
    ...looks.flatMap(({ setting, findings }) => findings.map((one) => withoutName(setting, one))),
    ...looks.map(({ setting, network, answers }) =>
      network === 'testnet' && answers ? warning(setting, 'Its node is on a test network.') : null,
    ),
    await faultOf('nodes', () => requireOneNetwork(Object.fromEntries(found))),
  ]);
}

/** The line begins with the setting: the sentence need not name it again. */
function withoutName(setting: string, { says, ...rest }: Finding): Finding {
  if (!says.startsWith(`${setting}: `)) return { ...rest, says };
  const sentence = says.slice(setting.length + 2);
  return { ...rest, says: sentence.charAt(0).toUpperCase() + sentence.slice(1) };
}

/** How far the database has read each chain. */
async function cursorsOf<C extends EvmChainId | UtxoChainId>(
  db: Db,
  chains: readonly C[],
): Promise<Map<C, Cursor | null>> {
  return new Map(
    await Promise.all(
      chains.map(async (chain) => [chain, (await findProgress(db, chain)).cursor] as const),
    ),
  );
}

async function checkEvm(
  config: Config,
  chain: EvmChainId,
  cursor: Cursor | null,
): Promise<NodeLook> {
  const { url: setting } = nodeSettingNames(chain);
  const node = config.nodes[chain];
  const providers = createEvmProviders(chain, node, sourceOf(cursor));
  const mistake = await faultOf(setting, () => providers.tryToOpen(null));
  const urls = node.providers.map(({ url }) => url);
  const findings = [
    mistake ?? silentProviders(setting, providers),
    await faultOf(setting, () => requireSafeAddresses(setting, urls)),
    providers.all.length > 1
      ? null
      : warning(setting, 'It names one provider, so nothing checks its blocks: add a second one.'),
    ...(await Promise.all(providers.open.map((one) => checkProvider(chain, setting, one)))).flat(),
  ];
  const answers = providers.open.length > 0;
  return { setting, network: providers.network, answers, findings: present(findings) };
}

function silentProviders(setting: string, { all, open, reason }: EvmProviders): Finding | null {
  if (open.length === all.length) return null;
  const says = `${open.length} of ${all.length} providers can be used: ${reason ?? 'no answer'}`;
  return (open.length === 0 ? fault : warning)(setting, says);
}

/** A provider can fail after it was opened. */
async function checkProvider(
  chain: EvmChainId,
  setting: string,
  provider: OpenProvider,
): Promise<Finding[]> {
  const who = `${provider.name} of ${CHAINS[chain].name}`;
  const { found, mistake } = await lookAt(setting, [], async () => {
    const tip = await requireNodeAnswer(nodeSettingNames(chain), provider.node.tip());
    return aboutTip(chain, who, provider, tip);
  });
  return mistake === null ? found : [{ ...mistake, says: `${who}: ${mistake.says}` }];
}

function aboutTip(
  chain: EvmChainId,
  who: string,
  { setup }: OpenProvider,
  { time, height }: { time: number; height: number },
): Finding[] {
  const { url: setting } = nodeSettingNames(chain);
  const age = Date.now() - time;
  const limit = Math.max(10 * CHAINS[chain].blockSeconds * 1_000, 2 * MINUTE_MS);
  return present([
    ok(setting, `${who}: chain id ${setup.chainId}, block ${height}.`),
    setup.canTrace
      ? null
      : warning(
          setting,
          `${who} cannot trace: coin that contracts send is found by another provider's traces, or by the comparison of balances.`,
        ),
    age > limit && !setup.minesOnDemand
      ? fault(setting, `The newest block of ${who} is old: let the node synchronize, or mend it.`)
      : null,
    age < -MINUTE_MS
      ? fault(
          'clock',
          `The newest block of ${who} is more than a minute ahead: synchronize the clock, for example with chrony.`,
        )
      : null,
  ]);
}

async function checkBitcoin(
  config: Config,
  chain: UtxoChainId,
  cursor: Cursor | null,
): Promise<NodeLook> {
  const names = bitcoinSettingNames(chain);
  const { node, ...rest } = config.bitcoinNodes[chain]!;
  const setting = node === null ? names.esplora : names.url;
  // Without the publishers of messages, which only a running service needs.
  const connection = createBitcoinConnection(chain, {
    ...rest,
    node: node === null ? null : { ...node, zmq: [] },
  });
  const mistake = await faultOf(setting, () => connection.tryToOpen(null));
  const { setup, all, open, reason } = connection;
  const urls = [node?.url, rest.esplora].filter((url) => typeof url === 'string');
  const findings = [
    mistake ??
      (open.length === all.length
        ? null
        : (open.length === 0 ? fault : warning)(setting, reason ?? 'It does not answer.')),
    await faultOf(setting, () => requireSafeAddresses(setting, urls)),
    node === null
      ? warning(
          names.esplora,
          `It is the only source of its chain, so nothing checks its blocks: set ${names.url}, too.`,
        )
      : null,
    setup === null
      ? null
      : ok(
          setting,
          `${CHAINS[chain].name}: ${setup.network.name}, block ${setup.beginning.height}.`,
        ),
    await otherChain(setting, connection, cursor),
  ];
  const { account: network } = bitcoinNetwork(chain, rest.network);
  return { setting, network, answers: setup !== null, findings: present(findings) };
}

/** Compares the oldest stored block: without it on the chain, no later one is. */
async function otherChain(
  setting: string,
  { chain, open }: BitcoinConnection,
  cursor: Cursor | null,
): Promise<Finding | null> {
  const [oldest] = cursor?.ring ?? [];
  const [first] = open;
  if (cursor === null || oldest === undefined || first === undefined) return null;
  if (!isCursorOf(cursor, first.setup.source)) return null;
  const {
    found: [hash],
    mistake,
  } = await lookAt(setting, [], () => first.source.hashesAt([oldest.height]));
  // A node without this height is behind.
  const isOther = typeof hash === 'string' && hash !== oldest.hash;
  return isOther
    ? fault(setting, new ReorganisationTooDeep(chain, cursor.height).message)
    : mistake;
}

/** A certificate or macaroon in a file that cannot be read ends the look before any question. */
async function checkLightning(config: Config, known: KnownNode): Promise<NodeLook> {
  const { found, mistake } = await lookAt('lightning', null, () =>
    checkOpenedLightning(config, known),
  );
  const unreadable = { setting: 'lightning', network: null, answers: false };
  return found ?? { ...unreadable, findings: present([mistake]) };
}

async function checkOpenedLightning(config: Config, known: KnownNode): Promise<NodeLook> {
  const warnings: string[] = [];
  const lightning = createLightningChain({
    node: config.lightning!,
    keysMode: config.keysMode,
    signer: config.keysMode === 'signer' ? signerAddress(config) : null,
    known: async () => known,
    readSource: async () => known.source,
    log: { warn: (_: unknown, text?: string) => void warnings.push(text ?? '') },
  });
  const { setting } = lightning;
  const mistake = await faultOf(setting, () => lightning.tryToOpen(null));
  const { setup, reason } = lightning;
  const findings = [
    mistake ?? (setup === null ? fault(setting, reason ?? 'It does not answer.') : null),
    setup === null
      ? null
      : ok(setting, `The lightning node answers${await capacityOf(lightning)}.`),
    ...warnings.map((text) => warning(setting, text)),
  ];
  return {
    setting,
    network: setup?.network ?? null,
    answers: setup !== null,
    findings: present(findings),
  };
}

/** A node without channels of its own, and one that falls silent, name no amounts. */
async function capacityOf({ setup, adapter }: LightningChain): Promise<string> {
  const liquidity = await adapter(setup!.network)
    .liquidity?.()
    .catch((error: unknown) => {
      if (error instanceof UnavailableError) return undefined;
      throw error;
    });
  if (liquidity === undefined) return '';
  const { receivable, sendable } = liquidity;
  return `; it can receive ${formatAmount(receivable)} BTC and send ${formatAmount(sendable)} BTC`;
}
