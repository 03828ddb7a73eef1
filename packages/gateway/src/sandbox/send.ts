import { sha256 } from '@noble/hashes/sha2.js';
import { utf8 } from '@scure/base';
import { sql } from 'kysely';
import { formatAmount, fromUnits, parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS, type ChainFamily, type ChainId } from '@crypto-checkout/protocol/kind';
import { DEPOSIT_FAMILIES } from '../wallet/deposit-chains.ts';
import { transact, type Trx } from '../database/database.ts';
import { isUnreachable } from '../database/transact.ts';
import { watchKeyOf } from '@crypto-checkout/chains/deposit-target';
import { sandboxTxid } from '@crypto-checkout/chains/signer';
import type {
  BroadcastResult,
  ChainSender,
  Sweeping,
  TransactionStatus,
  PlanRequest,
  Replacement,
  ReplaceRequest,
  SandboxPlan,
  SendOutput,
  SentTransaction,
  SignedTransaction,
} from '@crypto-checkout/chains/sender';
import { sandboxFee, sandboxUsualFee } from './fee.ts';
import * as store from './store.ts';
import { mine, type WorldOptions } from './world.ts';
import { receivableKinds } from './chains.ts';

/** TON's wallet sends one transaction at a time, so payouts wait in the state `queued`. */
const SEQUENTIAL: ReadonlySet<ChainId> = new Set(['ton']);
const MAX_OUTPUTS = 100;

/** Sends on simulated chains. */
export function createSandboxSenders(
  options: WorldOptions,
  except: ReadonlySet<ChainId> = new Set(),
): Map<ChainId, ChainSender> {
  const chains = (Object.keys(CHAINS) as ChainId[]).filter((chain) => !except.has(chain));
  return new Map(chains.map((chain) => [chain, sandboxSender(options, chain)]));
}

function sandboxSender(options: WorldOptions, chain: ChainId): ChainSender {
  const sweeping: Sweeping = {
    payoutAddress: sandboxPayoutAddress(chain),
    from: ({ address }) => senderOf(options, chain, address),
  };
  const sender = senderOf(options, chain, SEQUENTIAL.has(chain) ? 'wallet' : null);
  return DEPOSIT_FAMILIES.has(CHAINS[chain].family) ? { ...sender, sweeping } : sender;
}

/** An address that belongs to no account and has no valid format. */
export const sandboxPayoutAddress = (chain: ChainId): string => `payouts-of-${chain}`;

function senderOf(options: WorldOptions, chain: ChainId, lane: string | null): ChainSender {
  return {
    chain,
    kinds: receivableKinds(chain).map(({ kind }) => kind),
    maxOutputs: chain === 'lightning' ? 1 : MAX_OUTPUTS,
    lane,
    async estimate(request) {
      return sandboxFee(chain, request);
    },
    usualFee: async (asset) => sandboxUsualFee(chain, asset),
    async plan(request) {
      const plan = { ...planOf(chain, request), ...(await expiryOf(options, chain)) };
      return { type: 'plan', plan, nonce: null };
    },
    ...(WITH_CONTRACTS.has(CHAINS[chain].family) && {
      isContract: async (address: string) => isContract(chain, address),
    }),
    broadcast: (raw) => broadcast(options, chain, raw),
    lookUp: (sent) => lookUp(options, chain, sent),
    ...(WITH_REPLACEMENT.has(CHAINS[chain].family) && {
      replace: async (request: ReplaceRequest) => replace(chain, request),
    }),
  };
}

/** Families whose wallets can replace a transaction that waits for its block. */
const WITH_REPLACEMENT: ReadonlySet<ChainFamily> = new Set(['utxo', 'liquid', 'evm']);

/** A quarter more than the newest plan. */
function replace(chain: ChainId, { plans, intent }: ReplaceRequest): Replacement {
  const newest = plans.at(-1);
  if (newest?.family !== 'sandbox' || newest.chain !== chain)
    throw new Error(`No plan of ${chain} to replace`);
  const { decimals } = KINDS.find((kind) => kind.chain === chain)!;
  const units = toUnits(parseAmount(newest.fee), decimals);
  const fee = fromUnits((units * 5n) / 4n + 1n, decimals);
  const outputs = intent === 'cancel' ? [] : newest.outputs;
  const plan = { ...newest, outputs, fee: formatAmount(fee) };
  return { plan, fee, reserve: fee, isOutbid: false };
}

/** Whether a recipient may be a contract. The only contracts here are those of the tokens. */
const WITH_CONTRACTS: ReadonlySet<ChainFamily> = new Set(['evm', 'tron']);

function isContract(chain: ChainId, address: string): boolean {
  const key = watchKeyOf(chain, address);
  return KINDS.some(
    (kind) =>
      kind.chain === chain && kind.contract !== null && watchKeyOf(chain, kind.contract) === key,
  );
}

function planOf(chain: ChainId, { id, asset, outputs, feeReserve }: PlanRequest): SandboxPlan {
  return {
    family: 'sandbox',
    chain,
    reference: id,
    outputs: outputs.map((output) => ({
      asset,
      address: output.address,
      watchKey: watchKey(chain, output),
      amount: formatAmount(output.amount),
    })),
    fee: formatAmount(feeReserve),
  };
}

/** Families whose transactions run out; each has its own name for it. */
const WITH_EXPIRY: ReadonlySet<ChainFamily> = new Set(['solana', 'ton', 'tron', 'xrp']);
/** Blocks within which such a transaction is mined, or never. */
const VALID_BLOCKS = 20;

async function expiryOf(
  { db }: WorldOptions,
  chain: ChainId,
): Promise<Pick<SandboxPlan, 'validUntil'>> {
  if (!WITH_EXPIRY.has(CHAINS[chain].family)) return {};
  return { validUntil: (await store.readTip(db, chain)).height + VALID_BLOCKS };
}

function watchKey(chain: ChainId, { address, tag }: SendOutput): string {
  if (chain === 'lightning') return `ln:${address}`;
  // TON's tag is a comment, which no address of ours depends on.
  return watchKeyOf(chain, address, chain === 'xrp' ? tag : null);
}

function readRaw(raw: string): { plan: SandboxPlan; digest: Uint8Array } {
  const { message } = JSON.parse(raw) as { message: string };
  return { plan: JSON.parse(message) as SandboxPlan, digest: sha256(utf8.decode(message)) };
}

async function broadcast(
  options: WorldOptions,
  chain: ChainId,
  raw: string,
): Promise<BroadcastResult> {
  try {
    return await transact(options.db, (trx) => accept(trx, options, chain, raw));
  } catch (error) {
    return {
      result: 'unknown',
      reason: isUnreachable(error) ? 'The chain does not answer' : String(error),
    };
  }
}

async function accept(
  trx: Trx,
  options: WorldOptions,
  chain: ChainId,
  raw: string,
): Promise<BroadcastResult> {
  const { plan, digest } = readRaw(raw);
  const txid = sandboxTxid(chain, digest);
  await store.lockChain(trx, chain);
  const [existing] = await store.statesOf(trx, chain, [txid]);
  const isNew = existing === undefined || existing.state === 'dropped';
  if (
    isNew &&
    plan.validUntil !== undefined &&
    (await store.readTip(trx, chain)).height >= plan.validUntil
  )
    return { result: 'unknown', reason: 'The transaction has expired' };
  if (existing?.state === 'dropped') await store.setState(trx, existing, 'mempool');
  if (existing !== undefined) return { result: 'ok' };
  const refusal = chain === 'lightning' ? await refuseRequest(trx, plan) : null;
  if (refusal !== null) return { result: 'failed', reason: refusal };
  await store.startBlockTimer(trx, chain, options.clock.real());
  const input = `${plan.reference}:0`;
  const spender = await store.findSpender(trx, chain, input);
  if (spender?.state === 'block')
    return { result: 'unknown', reason: 'Another transaction with this input is in a block' };
  if (spender !== undefined) await store.setState(trx, spender, 'replaced', txid);
  const outputs = plan.outputs.map((output) => ({ ...output, amount: parseAmount(output.amount) }));
  await store.insertTransaction(trx, { chain, txid, conflicts: [input] }, outputs);
  if (chain === 'lightning') await mine(trx, options, chain, 1);
  return { result: 'ok' };
}

/** A payment request is paid once. */
async function refuseRequest(trx: Trx, { outputs }: SandboxPlan): Promise<string | null> {
  const keys = outputs.map((output) => output.watchKey);
  const { rows } =
    await sql`select 1 from sandbox_output where chain = 'lightning' and watch_key = any(${keys}::text[])`.execute(
      trx,
    );
  return rows.length > 0 ? 'This lightning request is already paid' : null;
}

interface SandboxStatus {
  txid: string;
  state: store.TransactionState;
  height: number | null;
  hash: string | null;
  tip: number;
  /** State of the transaction that replaced it. */
  by: store.TransactionState | null;
}

async function lookUp(
  { db }: WorldOptions,
  chain: ChainId,
  { attempts }: SentTransaction,
): Promise<TransactionStatus> {
  const { rows } = await sql<SandboxStatus>`
    select t.txid, t.state, b.height, b.hash, c.height as tip, r.state as by
    from sandbox_transaction t join sandbox_chain c on c.chain = t.chain
    left join sandbox_block b on b.chain = t.chain and b.hash = t.block_hash
    left join sandbox_transaction r on r.chain = t.chain and r.txid = t.replaced_by
    where t.chain = ${chain} and t.txid = any(${attempts.map(({ txid }) => txid)}::text[])`.execute(
    db,
  );
  const final = (await store.readTip(db, chain)).height - CHAINS[chain].finalConfirmations;
  const newestFirst = attempts.toReversed().map((attempt) =>
    statusOf(
      attempt,
      rows.find(({ txid }) => txid === attempt.txid),
      final,
    ),
  );
  return (
    newestFirst.find(({ state }) => state === 'block') ??
    newestFirst.find(({ state }) => state === 'mempool') ??
    newestFirst[0] ?? { state: 'unseen' }
  );
}

function statusOf(
  { txid, raw }: SignedTransaction,
  found: SandboxStatus | undefined,
  final: number,
): TransactionStatus {
  if (found === undefined || found.state === 'dropped') {
    const { validUntil = Number.POSITIVE_INFINITY } = readRaw(raw).plan;
    return { state: final >= validUntil ? 'expired' : 'unseen' };
  }
  if (found.state === 'failed')
    return { state: 'impossible', reason: 'The transaction failed on the chain' };
  if (found.state === 'replaced' && found.by === 'block')
    return { state: 'impossible', reason: 'Another transaction replaced it' };
  if (found.state !== 'block' || found.height === null || found.hash === null)
    return { state: 'mempool', txid };
  const { height, hash, tip } = found;
  const { plan } = readRaw(raw);
  return {
    state: 'block',
    txid,
    height,
    hash,
    confirmations: tip - height + 1,
    fee: parseAmount(plan.fee),
    succeeded: true,
    reason: null,
  };
}
