import { CHAINS, type Kind } from '@crypto-checkout/protocol/kind';
import type { EvmNetwork } from '../adapter.ts';
import { parseEvmAddress } from './address.ts';
import type { EvmSetup } from './setup.ts';

type Served = Pick<EvmSetup, 'network' | 'chainId' | 'assets'>;

/**
 * The chain id and the contract for payment links (ERC-681) of a kind, where the node's differ from
 * the tables: on Holesky, Hoodi, a development chain, or with a contract that the operator set.
 */
export function linkedNetwork(
  { network, chainId, assets: { coin, tokens } }: Served,
  kind: string,
): EvmNetwork | null {
  const [contract = null] = [...tokens].find(([, token]) => token.kind === kind) ?? [];
  const asset = contract === null ? coin : tokens.get(contract)!;
  const { evmChainId, testEvmChainId } = CHAINS[coin.chain];
  const isListed =
    chainId === (network === 'mainnet' ? evmChainId : testEvmChainId) &&
    contract === (listedContract(asset, network)?.toLowerCase() ?? null);
  if (isListed) return null;
  return {
    chain_id: chainId,
    contract: contract === null ? null : parseEvmAddress(contract).address,
  };
}

const listedContract = (kind: Kind, network: Served['network']): string | null =>
  network === 'mainnet' ? kind.contract : (kind.testContract ?? kind.contract);
