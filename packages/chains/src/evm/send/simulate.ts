import type { EvmChainId } from '@crypto-checkout/protocol/kind';
import { JsonRpcError } from '../../json-rpc.ts';
import type { EvmAccount, EvmTransfer } from '../sending-account.ts';
import { evmCall } from './sign.ts';
import { EVM_TRAITS } from '../traits.ts';

/** Gas of a transfer of the coin to an account, on every chain where data costs no gas. */
const COIN_GAS = 21_000n;
/** Used when the node can't simulate the transfer because the address is still empty. */
const TOKEN_GAS = 100_000n;

/**
 * Gas limit of a transfer, with a fifth to spare for a contract.
 * @throws JsonRpcError when the transfer would revert, or when the node can't simulate it
 */
export async function simulateGas(
  { node, from }: Pick<EvmAccount, 'node' | 'from'>,
  transfer: EvmTransfer,
): Promise<bigint> {
  const gas = await node.estimateGas({ from: from.address, ...evmCall(transfer) });
  // A transfer to an account always costs the same; a contract can cost more in a later block.
  return gas === COIN_GAS ? gas : (gas * 12n) / 10n;
}

/** Whether a token's `transfer` would return false, and move nothing without a revert (ERC-20). */
export async function returnsFalse(
  { node, from }: Pick<EvmAccount, 'node' | 'from'>,
  transfer: EvmTransfer,
): Promise<boolean> {
  if (transfer.token === null) return false;
  const answer = await node.call({ from: from.address, ...evmCall(transfer) });
  // Some tokens, such as Tether's, return nothing.
  return /^0x0{64}$/.test(answer);
}

/** The simulated gas, or the usual gas when the node can't simulate the transfer. */
export async function expectedGas(account: EvmAccount, transfer: EvmTransfer): Promise<bigint> {
  try {
    return await simulateGas(account, transfer);
  } catch (error) {
    if (error instanceof JsonRpcError) return guessGas(account.chain, transfer);
    throw error;
  }
}

/** Whether the chain's rules forbid the transfer; any other error says nothing about it. */
export const isRevert = ({ message }: JsonRpcError): boolean =>
  /revert|invalid opcode|out of gas|gas required exceeds/i.test(message);

function guessGas(chain: EvmChainId, { token, memo }: Pick<EvmTransfer, 'token' | 'memo'>): bigint {
  return token === null ? EVM_TRAITS[chain].coinGas + 40n * BigInt(memo?.length ?? 0) : TOKEN_GAS;
}
