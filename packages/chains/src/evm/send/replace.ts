import type { EvmPlan, Replacement, ReplaceRequest, SendPlan } from '../../sender.ts';
import { feesOf, maxFeePerGas, priorityFee } from './fees.ts';
import type { EvmAccount, EvmTransfer } from '../sending-account.ts';
import { expectedGas } from './simulate.ts';

/**
 * Nodes take a second transaction with the same nonce only for a tenth more; an eighth is what the
 * strictest of them asks.
 */
const raised = (fee: string): bigint => (BigInt(fee) * 9n) / 8n + 1n;
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** A transaction with the same nonce and a higher fee. */
export async function replaceEvm(
  account: EvmAccount,
  { plans, intent }: ReplaceRequest,
): Promise<Replacement> {
  const newest = newestPlan(account, plans);
  const [suggested, { baseFee }] = await Promise.all([
    priorityFee(account, 'normal'),
    account.node.tip(),
  ]);
  const tip = larger(suggested, raised(newest.maxPriorityFeePerGas));
  const maxFee = larger(maxFeePerGas(account.chain, baseFee, tip), raised(newest.maxFeePerGas));
  const { transfer, gasLimit } = await contentOf(account, newest, intent);
  return {
    plan: {
      ...newest,
      ...transfer,
      gasLimit: gasLimit.toString(),
      maxFeePerGas: maxFee.toString(),
      maxPriorityFeePerGas: tip.toString(),
    },
    ...(await feesOf(account, transfer, { gasLimit, maxFee, tip, baseFee })),
    isOutbid: BigInt(newest.maxFeePerGas) < baseFee,
  };
}

function newestPlan({ from, chainId }: EvmAccount, plans: readonly SendPlan[]): EvmPlan {
  const newest = plans.at(-1);
  if (newest?.family !== 'evm' || newest.chainId !== chainId)
    throw new Error(`No plan of the chain ${chainId} to replace`);
  if (newest.from.address !== from.address)
    throw new Error(`The plan sends from ${newest.from.address}, not from ${from.address}`);
  return newest;
}

async function contentOf(
  account: EvmAccount,
  newest: EvmPlan,
  intent: ReplaceRequest['intent'],
): Promise<{ transfer: EvmTransfer; gasLimit: bigint }> {
  const { token, to, units, memo } = newest;
  if (intent === 'bump')
    return { transfer: { token, to, units, memo }, gasLimit: BigInt(newest.gasLimit) };
  // Nothing is sent, to the sender itself.
  const transfer = { token: null, to: account.from.address, units: '0', memo: null };
  const gasLimit = await expectedGas(account, transfer);
  return { transfer, gasLimit };
}
