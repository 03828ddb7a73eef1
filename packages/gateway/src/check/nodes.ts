import {
  bitcoinNetwork,
  UTXO_CHAINS,
  type UtxoChainId,
} from '@crypto-checkout/chains/bitcoin/network';
import { requireNodeAnswer } from '@crypto-checkout/chains/evm/setup';
import { CHAINS, type EvmChainId } from '@crypto-checkout/protocol/kind';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import { createBitcoinConnection } from '../engine/bitcoin-chain.ts';
import { createEvmProviders, type EvmProviders, type OpenProvider } from '../engine/evm-chain.ts';
import { createLightningChain } from '../engine/lightning-chain.ts';
import { requireSafeAddresses } from '../engine/node-address.ts';
import { type Network, requireOneNetwork } from '../engine/one-network.ts';
import { signerAddress } from '../engine/open-keys.ts';
import { findSource } from '../engine/scan-progress.ts';
import { bitcoinSettingNames } from '../settings/bitcoin.ts';
import { EVM_CHAINS, nodeSettingNames } from '../settings/evm-nodes.ts';
import { fault, faultOf, type Finding, ok, present, readFrom, warning } from './finding.ts';

const MINUTE_MS = 60_000;
const SILENT: Pick<Logger, 'warn'> = { warn: () => {} };

/** The findings about one node, and the network that it serves. */
interface NodeLook {
  setting: string;
  network: Network | null;
  findings: Finding[];
}

/** Asks every node that the settings name: network, synchronisation, abilities, second provider. */
export async function checkNodes(config: Config, db: Db | null): Promise<Finding[]> {
  const evm = EVM_CHAINS.filter((chain) => config.nodes[chain].providers.length > 0);
  const bitcoin = UTXO_CHAINS.filter((chain) => config.bitcoinNodes[chain] !== undefined);
  const { found: sources, mistake } = await readFrom(db, null, (read) => sourcesOf(read, evm));
  const looks = await Promise.all([
    ...evm.map((chain) => checkEvm(config, chain, sources?.get(chain) ?? null)),
    ...bitcoin.map((chain) => checkBitcoin(config, chain)),
    ...(config.lightning === null ? [] : [checkLightning(config)]),
  ]);
  if (looks.length === 0)
    return [fault('nodes', 'No setting names a node, for example ETH_RPC_URL or BTC_RPC_URL.')];
  const found = looks.flatMap(({ setting, network }) =>
    network === null ? [] : [[setting, network] as const],
  );
  return present([
    mistake,
    ...looks.flatMap(({ findings }) => findings),
    ...found.map(([setting, network]) =>
      network === 'mainnet' ? null : warning(setting, 'Its node is on a test network.'),
    ),
    await faultOf('nodes', () => requireOneNetwork(Object.fromEntries(found))),
  ]);
}

/** The chains whose blocks the database has read. */
async function sourcesOf(
  db: Db,
  chains: readonly EvmChainId[],
): Promise<Map<EvmChainId, string | null>> {
  return new Map(
    await Promise.all(chains.map(async (chain) => [chain, await findSource(db, chain)] as const)),
  );
}

async function checkEvm(
  config: Config,
  chain: EvmChainId,
  source: string | null,
): Promise<NodeLook> {
  const { url: setting } = nodeSettingNames(chain);
  const node = config.nodes[chain];
  const providers = createEvmProviders(chain, node, source);
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
  return { setting, network: providers.network, findings: present(findings) };
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
  let findings: Finding[] = [];
  const mistake = await faultOf(setting, async () => {
    const tip = await requireNodeAnswer(nodeSettingNames(chain), provider.node.tip());
    findings = aboutTip(chain, who, provider, tip);
  });
  return mistake === null ? findings : [{ ...mistake, says: `${who}: ${mistake.says}` }];
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
          `${who} cannot trace: coin that contracts send is found by the comparison of balances alone.`,
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

async function checkBitcoin(config: Config, chain: UtxoChainId): Promise<NodeLook> {
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
  ];
  const { account } = bitcoinNetwork(chain, rest.network);
  return { setting: names.network, network: account, findings: present(findings) };
}

async function checkLightning(config: Config): Promise<NodeLook> {
  const receivesOnly: string[] = [];
  const lightning = createLightningChain({
    node: config.lightning!,
    keysMode: config.keysMode,
    signer: config.keysMode === 'signer' ? signerAddress(config) : null,
    log: { ...SILENT, warn: (_: unknown, text?: string) => void receivesOnly.push(text ?? '') },
  });
  const { setting } = lightning;
  const mistake = await faultOf(setting, () => lightning.tryToOpen(null));
  const { setup, reason } = lightning;
  const findings = [
    mistake ?? (setup === null ? fault(setting, reason ?? 'It does not answer.') : null),
    setup === null ? null : ok(setting, 'The lightning node answers.'),
    ...receivesOnly.map((text) => warning(setting, text)),
  ];
  return { setting, network: setup?.network ?? null, findings: present(findings) };
}
