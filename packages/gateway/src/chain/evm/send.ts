import { HDKey } from '@scure/bip32';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { fromUnits, toUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { evmAddress } from '../derive/evm.ts';
import { uncompressedReceivingKey } from '../derive/hd.ts';
import type { PublicKeys } from '../keys.ts';
import type {
  BroadcastResult,
  ChainSender,
  Consolidation,
  DepositKey,
  EvmPlan,
  Fate,
  FeeEstimate,
  FeePreset,
  Planned,
  PlanRequest,
  SendRequest,
  SentTransaction,
} from '../sender.ts';
import { evmCall } from '../sign-evm.ts';
import { JsonRpcError } from './json-rpc.ts';
import type { EvmSendNode } from './send-node.ts';
import type { EvmAssets } from './transfers.ts';

export interface EvmSenderOptions {
  chain: ChainId;
  chainId: number;
  node: EvmSendNode;
  assets: EvmAssets;
  keys: Pick<PublicKeys, 'evm'>;
}

/** The address that pays out, the same on every EVM chain: number 0 of the branch that BIP44 keeps for what is not received. */
export function evmSendingAddress({ evm }: Pick<PublicKeys, 'evm'>): string {
  const { publicKey } = HDKey.fromExtendedKey(evm).deriveChild(1).deriveChild(0);
  if (publicKey === null) throw new Error('The extended key gave no sending address');
  return evmAddress(secp256k1.Point.fromBytes(publicKey).toBytes(false));
}

/** Sends the coin and listed tokens of an EVM chain, one transaction after the other, each with one recipient. */
export function createEvmSender({ chain, chainId, node, assets, keys }: EvmSenderOptions): ChainSender {
  const evm = { chain, chainId, node, assets };
  const payoutAddress = evmSendingAddress(keys);
  const consolidation: Consolidation = {
    payoutAddress,
    from: (deposit) => senderFrom({ ...evm, from: depositKey(keys, deposit) }),
  };
  return { ...senderFrom({ ...evm, from: { branch: 1, index: 0, address: payoutAddress } }), consolidation };
}

/** What the address says must be what the key says: otherwise nobody could sign what was planned. */
function depositKey(keys: EvmSenderOptions['keys'], { address, index }: DepositKey): EvmPlan['from'] {
  const own = index === null ? null : evmAddress(uncompressedReceivingKey(keys.evm, index));
  if (index === null || own?.toLowerCase() !== address.toLowerCase())
    throw new Error(`The key of the deposit address ${address} is not known`);
  return { branch: 0, index, address };
}

function senderFrom(evm: Evm): ChainSender {
  const { chain, node, assets, from } = evm;
  return {
    chain,
    kinds: [assets.coin.kind, ...[...assets.tokens.values()].map(({ kind }) => kind)],
    maxOutputs: 1,
    lane: from.address.toLowerCase(),
    estimate: (request) => estimate(evm, request),
    isContract: (address) => node.hasCode(address),
    plan: (request) => plan(evm, request),
    broadcast: (raw) => broadcast(node, raw),
    lookUp: (sent) => lookUp(evm, sent),
  };
}

interface Evm {
  chain: ChainId;
  chainId: number;
  node: EvmSendNode;
  assets: EvmAssets;
  from: EvmPlan['from'];
}

const COIN_GAS = 21_000n;
/** Where the node can't simulate, because the address holds nothing yet. */
const TOKEN_GAS = 100_000n;
/** What miners are given, in tenths of what the node names. */
const TIP_TENTHS: Readonly<Record<FeePreset, bigint>> = { high: 20n, normal: 10n, economy: 8n };

async function estimate(evm: Evm, request: SendRequest): Promise<FeeEstimate> {
  const [gas, tip, { baseFee }] = await Promise.all([gasFor(evm, request, true), tipFee(evm.node, request.preset), evm.node.tip()]);
  const { decimals } = evm.assets.coin;
  // The base fee grows by an eighth a block: twice of it lasts for six full blocks.
  return { fee: fromUnits((gas ?? 0n) * (baseFee + tip), decimals), reserve: fromUnits((gas ?? 0n) * (2n * baseFee + tip), decimals) };
}

const tipFee = async (node: EvmSendNode, preset: FeePreset): Promise<bigint> => ((await node.tipFee()) * TIP_TENTHS[preset]) / 10n;

/** @returns null when the transfer would revert */
async function gasFor(evm: Evm, request: SendRequest, guess: boolean): Promise<bigint | null> {
  const { token, to, units, memo } = transferOf(evm, request);
  const call = evmCall({ token, to, units, memo });
  try {
    const gas = await evm.node.gasOf({ from: evm.from.address, ...call });
    // A transfer to an account always costs the same; a contract may cost more in another block.
    return gas === COIN_GAS ? gas : (gas * 12n) / 10n;
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error;
    if (!guess) return null;
    return token === null ? COIN_GAS + 40n * BigInt(memo?.length ?? 0) : TOKEN_GAS;
  }
}

function transferOf(
  { assets }: Evm,
  { asset, outputs }: SendRequest,
): { token: string | null; to: string; units: string; memo: string | null } {
  const [output, ...more] = outputs;
  if (output === undefined || more.length > 0) throw new Error('An EVM transaction has one recipient');
  const { contract, kind } = assetOf(assets, asset);
  return { token: contract, to: output.address, units: toUnits(output.amount, kind.decimals).toString(), memo: output.memo };
}

function assetOf({ coin, tokens }: EvmAssets, asset: string): { contract: string | null; kind: Kind } {
  if (asset === coin.asset) return { contract: null, kind: coin };
  const found = [...tokens].find(([, kind]) => kind.asset === asset);
  if (found === undefined) throw new Error(`There is no contract of ${asset} on this chain`);
  return { contract: found[0], kind: found[1] };
}

async function plan(evm: Evm, request: PlanRequest): Promise<Planned> {
  const { node, chainId, assets } = evm;
  const from = evm.from.address;
  const transfer = transferOf(evm, request);
  const [nonce, balance, { baseFee }, tip] = await Promise.all([
    node.used(from),
    node.balance(from),
    node.tip(),
    tipFee(node, request.preset),
  ]);
  // A node that lags behind would have us use a number twice.
  if (nonce < request.minNonce) return { type: 'wait', reason: `the node lags behind what ${from} sent` };
  const feeReserve = toUnits(request.feeReserve, assets.coin.decimals);
  const value = transfer.token === null ? BigInt(transfer.units) : 0n;
  if (balance < value + feeReserve) return { type: 'wait', reason: `the address ${from} holds too little ${assets.coin.symbol}` };
  if (transfer.token !== null && (await node.tokenBalance(transfer.token, from)) < BigInt(transfer.units)) {
    return { type: 'wait', reason: `the address ${from} holds too little ${request.asset}` };
  }
  const gasLimit = await gasFor(evm, request, false);
  if (gasLimit === null) return { type: 'refused', reason: 'The chain refuses this transfer: it would revert' };
  const maxFee = feeReserve / gasLimit;
  if (maxFee < baseFee + 1n) return { type: 'wait', reason: 'the network fee rose above what is held for it' };
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

/** What nodes say of a transaction that they have already. */
const KNOWN = /already known|known transaction|already imported|already in (the )?(mem)?pool/i;
/** Refusals that say for certain that this transaction did not go out. A wrong number does not: it may be ours that used it. */
const REFUSED =
  /insufficient funds|intrinsic gas|exceeds block gas limit|underpriced|fee per gas less than|fee cap less than|invalid sender|invalid chain ?id/i;

async function broadcast(node: EvmSendNode, raw: string): Promise<BroadcastResult> {
  try {
    await node.send(raw);
    return { result: 'ok' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof JsonRpcError && KNOWN.test(reason)) return { result: 'ok' };
    if (error instanceof JsonRpcError && REFUSED.test(reason) && !/replacement/i.test(reason)) return { result: 'failed', reason };
    return { result: 'unknown', reason };
  }
}

async function lookUp({ chain, node, from, assets }: Evm, { txid, nonce }: SentTransaction): Promise<Fate> {
  const [{ height: tip }, receipt] = await Promise.all([node.tip(), node.receipt(txid)]);
  if (receipt !== null) {
    const succeeded = receipt.status === 1n;
    const height = Number(receipt.blockNumber);
    return {
      state: 'block',
      height,
      hash: receipt.blockHash,
      confirmations: Math.max(0, tip - height + 1),
      fee: fromUnits(receipt.gasUsed * receipt.effectiveGasPrice, assets.coin.decimals),
      succeeded,
      reason: succeeded ? null : 'The transaction was mined and reverted',
    };
  }
  if (await node.isKnown(txid)) return { state: 'mempool' };
  // Its number was used by another transaction, so deep that no reorganisation brings it back.
  const final = tip - CHAINS[chain].finalConfirmations;
  if (nonce !== null && final >= 0 && (await node.used(from.address, final)) > nonce && (await node.receipt(txid)) === null) {
    return { state: 'impossible', reason: 'Another transaction of the address took its number' };
  }
  return { state: 'unseen' };
}
