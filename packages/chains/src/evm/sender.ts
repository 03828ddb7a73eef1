import { HDKey } from '@scure/bip32';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { fromUnits, toUnits, type Amount } from '@crypto-checkout/protocol/amount';
import type { EvmChainId, Kind } from '@crypto-checkout/protocol/kind';
import { evmAddress } from './address.ts';
import { uncompressedReceivingKey } from '../hd-keys.ts';
import { JsonRpcError } from '../json-rpc.ts';
import type { PublicKeys } from '../keys.ts';
import type {
  ChainSender,
  Sweeping,
  DepositKey,
  EvmPlan,
  FeeEstimate,
  Planned,
  PlanRequest,
  SendRequest,
} from '../sender.ts';
import { broadcastEvm } from './send/broadcast.ts';
import { dataFee, feesOf, maxFeePerGas, priorityFee } from './send/fees.ts';
import { lookUpEvm } from './send/look-up.ts';
import { inFlightOf } from './send/in-flight.ts';
import { nextNonce } from './send/next-nonce.ts';
import { replaceEvm } from './send/replace.ts';
import type { EvmSendNode } from './send/send-node.ts';
import type { EvmAccount, EvmTransfer } from './sending-account.ts';
import { expectedGas, isRevert, returnsFalse, simulateGas } from './send/simulate.ts';
import { EVM_TRAITS } from './traits.ts';
import type { EvmAssets } from './scan/transfers.ts';

export interface EvmSenderOptions {
  chain: EvmChainId;
  chainId: number;
  node: EvmSendNode;
  /** Each provider by itself, where one alone is not enough. Default: `node` alone. */
  providers?: () => readonly EvmSendNode[];
  assets: EvmAssets;
  keys: Pick<PublicKeys, 'evm'>;
}

/**
 * The address that payouts are sent from, the same on every EVM chain: index 0 of BIP44's change
 * branch.
 */
export function evmSendingAddress({ evm }: Pick<PublicKeys, 'evm'>): string {
  const { publicKey } = HDKey.fromExtendedKey(evm).deriveChild(1).deriveChild(0);
  if (publicKey === null) throw new Error('The extended key has no sending address');
  return evmAddress(secp256k1.Point.fromBytes(publicKey).toBytes(false));
}

/**
 * Creates the sender for the coin and the listed tokens of an EVM chain. Each transaction has one
 * recipient.
 */
export function createEvmSender({
  chain,
  chainId,
  node,
  providers = () => [node],
  assets,
  keys,
}: EvmSenderOptions): ChainSender {
  const evm = { chain, chainId, node, providers, assets };
  const payoutAddress = evmSendingAddress(keys);
  const sweeping: Sweeping = {
    payoutAddress,
    from: (deposit) => senderFrom({ ...evm, from: depositKey(keys, deposit) }),
  };
  return {
    ...senderFrom({ ...evm, from: { branch: 1, index: 0, address: payoutAddress } }),
    maxInFlight: MAX_IN_FLIGHT,
    sweeping,
  };
}

/** As many of one address as nodes keep for certain (`txpool.accountslots` of go-ethereum). */
const MAX_IN_FLIGHT = 16;

/** Checks that the key derives the address; otherwise the signer would refuse the plan. */
function depositKey(
  keys: EvmSenderOptions['keys'],
  { address, index }: DepositKey,
): EvmPlan['from'] {
  const own = index === null ? null : evmAddress(uncompressedReceivingKey(keys.evm, index));
  if (index === null || own?.toLowerCase() !== address.toLowerCase())
    throw new Error(`Unknown key of the deposit address ${address}`);
  return { branch: 0, index, address };
}

function senderFrom(evm: EvmAccount): ChainSender {
  const { chain, node, assets, from } = evm;
  return {
    chain,
    kinds: [assets.coin.kind, ...[...assets.tokens.values()].map(({ kind }) => kind)],
    maxOutputs: 1,
    lane: from.address.toLowerCase(),
    estimate: (request) => estimate(evm, request),
    usualFee: (asset) => usualFee(evm, asset),
    isContract: (address) => node.hasCode(address),
    plan: (request) => plan(evm, request),
    broadcast: (raw) => broadcastEvm(node, raw),
    lookUp: (sent) => lookUpEvm(evm, sent),
    replace: (request) => replaceEvm(evm, request),
  };
}

async function estimate(evm: EvmAccount, request: SendRequest): Promise<FeeEstimate> {
  const transfer = transferOf(evm, request);
  const [gasLimit, tip, { baseFee }] = await Promise.all([
    expectedGas(evm, transfer),
    priorityFee(evm, request.preset),
    evm.node.tip(),
  ]);
  const maxFee = maxFeePerGas(evm.chain, baseFee, tip);
  return feesOf(evm, transfer, { gasLimit, maxFee, tip, baseFee });
}

/** Gas × price of a transfer by any wallet; nothing is simulated, because no balance is known. */
async function usualFee(evm: EvmAccount, asset: string): Promise<Amount> {
  const { contract } = assetOf(evm.assets, asset);
  const [tip, { baseFee }] = await Promise.all([priorityFee(evm, 'normal'), evm.node.tip()]);
  const gasLimit = contract === null ? EVM_TRAITS[evm.chain].coinGas : USUAL_TOKEN_GAS;
  const transfer = { token: contract, to: evm.from.address, units: '1', memo: null };
  const maxFee = maxFeePerGas(evm.chain, baseFee, tip);
  return (await feesOf(evm, transfer, { gasLimit, maxFee, tip, baseFee })).fee;
}

/**
 * Gas of a token's transfer to an address that never had it, as Tether's contract on Ethereum
 * takes.
 */
const USUAL_TOKEN_GAS = 65_000n;

function transferOf({ assets }: EvmAccount, { asset, outputs }: SendRequest): EvmTransfer {
  const [output, ...more] = outputs;
  if (output === undefined || more.length > 0)
    throw new Error('An EVM transaction has exactly one recipient');
  const { contract, kind } = assetOf(assets, asset);
  return {
    token: contract,
    to: output.address,
    units: toUnits(output.amount, kind.decimals).toString(),
    memo: output.memo,
  };
}

function assetOf(
  { coin, tokens }: EvmAssets,
  asset: string,
): { contract: string | null; kind: Kind } {
  if (asset === coin.asset) return { contract: null, kind: coin };
  const found = [...tokens].find(([, kind]) => kind.asset === asset);
  if (found === undefined) throw new Error(`No contract is configured for ${asset} on this chain`);
  return { contract: found[0], kind: found[1] };
}

function lacks(from: string, name: string, kind: Kind, units: bigint): Planned {
  return {
    type: 'wait',
    reason: `the address ${from} holds too little ${name}`,
    cause: 'funds',
    lack: { asset: kind.asset, amount: fromUnits(units, kind.decimals) },
  };
}

async function plan(evm: EvmAccount, request: PlanRequest): Promise<Planned> {
  const { node, chainId, assets } = evm;
  const from = evm.from.address;
  const transfer = transferOf(evm, request);
  const inFlight = inFlightOf(request.inFlight, transfer.token);
  const [nonce, balance, { baseFee }, tip] = await Promise.all([
    nextNonce(evm, request.minNonce, inFlight.firstNonce),
    node.balance(from),
    node.tip(),
    priorityFee(evm, request.preset),
  ]);
  if (nonce === null)
    return { type: 'wait', reason: `the node's answers disagree about how much ${from} sent` };
  // A lagging node reports a nonce that is already used.
  if (nonce < request.minNonce)
    return { type: 'wait', reason: `the node lags behind what ${from} sent`, missingFrom: nonce };
  const feeReserve = toUnits(request.feeReserve, assets.coin.decimals);
  const value = transfer.token === null ? BigInt(transfer.units) : 0n;
  const lack = value + feeReserve - balance;
  if (lack > 0n) return lacks(from, assets.coin.symbol, assets.coin, lack);
  if (balance < value + feeReserve + inFlight.coin) return { type: 'busy' };
  if (transfer.token !== null) {
    const held = await node.tokenBalance(transfer.token, from);
    const { kind } = assetOf(assets, request.asset);
    if (held < BigInt(transfer.units))
      return lacks(from, request.asset, kind, BigInt(transfer.units) - held);
    if (held < BigInt(transfer.units) + inFlight.tokens) return { type: 'busy' };
  }
  const gasLimit = await simulateGas(evm, transfer).catch(asJsonRpcError);
  if (typeof gasLimit !== 'bigint')
    return isRevert(gasLimit)
      ? { type: 'refused', reason: 'The chain refuses this transfer: it would revert' }
      : { type: 'wait', reason: `the node cannot simulate the transfer: ${gasLimit.message}` };
  if (await returnsFalse(evm, transfer))
    return { type: 'refused', reason: 'The token refuses this transfer: it would return false' };
  const forData = await dataFee(evm, transfer, {
    gasLimit,
    maxFee: feeReserve / gasLimit,
    tip,
  });
  // No plan names its fee for data: those before this one may need twice as much each.
  const forOthers = 2n * forData * BigInt(inFlight.count);
  if (balance < value + feeReserve + inFlight.coin + forOthers) return { type: 'busy' };
  // It may grow until the block: a quarter more is held for it.
  const maxFee = (feeReserve - (forData * 5n) / 4n) / gasLimit;
  const leastTip = EVM_TRAITS[evm.chain].hasMinimumTip ? tip : 1n;
  if (maxFee < baseFee + leastTip)
    return {
      type: 'wait',
      reason: 'the network fee rose above what is held for it',
      cause: 'fee',
    };
  const priority = tip < maxFee ? tip : maxFee;
  return {
    type: 'plan',
    nonce,
    plan: {
      family: 'evm',
      chainId,
      from: evm.from,
      nonce,
      ...transfer,
      gasLimit: gasLimit.toString(),
      maxFeePerGas: maxFee.toString(),
      maxPriorityFeePerGas: priority.toString(),
    },
  };
}

function asJsonRpcError(error: unknown): JsonRpcError {
  if (error instanceof JsonRpcError) return error;
  throw error;
}
