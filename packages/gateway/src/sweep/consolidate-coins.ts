import { isUtxoChain } from '@crypto-checkout/chains/bitcoin/network';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS } from '@crypto-checkout/protocol/kind';
import { raiseAlarmOnce } from '../alarm/raise.ts';
import { clearLapsed } from '../alarm/recurring.ts';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { guardLease, releaseLease, waitForLease, keepLease } from '../database/lease.ts';
import { takenInputs } from '../engine/coin-store.ts';
import { findOutgoing, savePlan } from '../engine/sending/outgoing-store.ts';
import { sendingLease, sendPlanned } from '../engine/sending/send.ts';
import { trackSent, type ChainPlace } from '../engine/sending/track.ts';
import { UnavailableError } from '../http/error.ts';
import { LedgerError } from '../ledger/post.ts';
import {
  heldFor,
  NOT_JOINED,
  raiseConsolidationFee,
  sharesOfFee,
  type LeasedSender,
} from './consolidation-fee.ts';
import {
  countFreeCoins,
  endConsolidation,
  hasConsolidationSince,
  insertConsolidation,
  openConsolidation,
  saveParts,
  walletsWith,
  type ConsolidationPart,
} from './consolidation-store.ts';
import { holdFees, settleFees } from './hold.ts';
import { nextSweepStatus } from './state.ts';

/** After one that began, also after one that failed. */
const PAUSE_MS = 60 * 60 * 1000;

type Consolidate = NonNullable<ChainSender['consolidate']>;
interface ConsolidationRound extends LeasedSender {
  sender: ChainSender & { consolidate: Consolidate };
}

/**
 * Joins small coins while network fees are low, so that later payouts cost less: on chains whose
 * wallets hold single outputs. The wallets share the fee in proportion to their balances. An
 * interrupted transaction continues where it stopped.
 */
export async function consolidateCoins(context: Context, signal: AbortSignal): Promise<void> {
  for (const sender of context.senders.values()) {
    const { consolidate } = sender;
    if (consolidate === undefined || !isUtxoChain(sender.chain)) continue;
    try {
      await consolidateChain(context, { ...sender, consolidate }, signal);
      await clearLapsed(context, { on: sender.chain }, [NOT_JOINED]);
    } catch (error) {
      // The node of one chain does not delay the others.
      if (!(error instanceof UnavailableError)) throw error;
      const { chain } = sender;
      context.log.warn(
        { event: 'consolidation_failed', err: error, chain },
        'small coins could not be joined, will retry',
      );
    }
  }
}

async function consolidateChain(
  context: Context,
  sender: ConsolidationRound['sender'],
  signal: AbortSignal,
): Promise<void> {
  const { db } = context;
  const { chain } = sender;
  if ((await openConsolidation(db, chain)) === null && !(await isDue(context, sender))) return;
  // Payouts choose from the same coins.
  const lease = await waitForLease(db, sendingLease(chain), context.ids.uuid(), signal);
  if (lease === null) return;
  const keeper = keepLease(db, lease);
  try {
    const round: ConsolidationRound = { context, sender, lease };
    const id = (await openConsolidation(db, chain)) ?? (await begin(round));
    if (id !== null) await advance(round, id);
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

/** Without a question to the node: whether there are coins enough. */
async function isDue(
  { db, clock, config }: Context,
  { chain }: Pick<ChainSender, 'chain'>,
): Promise<boolean> {
  if (maxRateOf(config, chain) === 0) return false;
  if ((await countFreeCoins(db, chain)) < config.consolidateCoins) return false;
  return !(await hasConsolidationSince(db, chain, timestamp(clock.now() - PAUSE_MS)));
}

const maxRateOf = (
  { consolidateRates }: Pick<Context['config'], 'consolidateRates'>,
  chain: ChainSender['chain'],
): number => (isUtxoChain(chain) ? consolidateRates[chain] : 0);

/** Stores the plan, and holds its fee. Nothing is sent yet. */
async function begin({ context, sender, lease }: ConsolidationRound): Promise<string | null> {
  const { db, config, clock } = context;
  const { chain } = sender;
  const planned = await sender.consolidate({
    minCoins: config.consolidateCoins,
    maxRate: maxRateOf(config, chain),
    taken: await takenInputs(db, chain),
  });
  if (planned.type === 'wait') return null;
  const { plan, inputs, fee } = planned;
  const asset = KINDS.find((kind) => kind.chain === chain)!.asset;
  const id = context.ids.uuid();
  const at = timestamp(clock.now());
  try {
    await transact(db, async (trx) => {
      await guardLease(trx, lease);
      const parts = await partsOf(trx, asset, fee);
      await insertConsolidation(trx, { id, chain, asset, fee }, parts, at);
      for (const part of parts) await holdFees(trx, heldFor(id, asset, part), at);
      const stored = { id, purpose: 'sweep', chain, lane: null, nonce: null, plan, inputs };
      await savePlan(trx, stored);
    });
  } catch (error) {
    // The wallets' balances are all in use.
    if (error instanceof LedgerError) return null;
    throw error;
  }
  return id;
}

/** @throws LedgerError if the wallets together have too little */
async function partsOf(trx: Trx, asset: string, fee: Amount): Promise<ConsolidationPart[]> {
  const wallets = await walletsWith(trx, asset);
  const weights = wallets.map(({ available }) => available);
  if (weights.reduce((sum, one) => sum + one, 0n) < fee)
    throw new LedgerError(`The wallets have too little ${asset} for a fee`);
  const parts = sharesOfFee(fee, weights, asset);
  return wallets
    .map(({ account_id, wallet_id }, at) => ({ account_id, wallet_id, fee: parts[at]! }))
    .filter((part) => part.fee > 0n);
}

/** Sends the stored plan, or follows what was sent. */
async function advance(round: ConsolidationRound, id: string): Promise<void> {
  const { context, sender } = round;
  const { db } = context;
  const sent = { id, purpose: 'sweep' as const };
  const status = await trackSent(context, sender, sent);
  if (status !== null) {
    await applyStatus(round, id, status);
    return raiseConsolidationFee(round, id, status);
  }
  const planned = await findOutgoing(db, id);
  if (planned === null)
    return end(round, id, {
      status: 'failed',
      error: 'Its plan was discarded, and nothing was sent',
    });
  const outcome = await sendPlanned(context, sender, sent, planned);
  if (outcome.type === 'refused')
    return end(round, id, { status: 'failed', error: outcome.reason });
  // The signer refused it; the plan is gone.
  if (outcome.type === 'waiting' && outcome.isPlanned !== true) {
    await raiseAlarmOnce(context, sender.chain, `${NOT_JOINED}${outcome.reason}`);
    return end(round, id, { status: 'failed', error: outcome.reason });
  }
}

async function applyStatus(
  round: ConsolidationRound,
  id: string,
  status: ChainPlace,
): Promise<void> {
  const { finalConfirmations } = CHAINS[round.sender.chain];
  const next = nextSweepStatus({
    status: 'sending',
    chain: status.state === 'block' || status.state === 'impossible' ? status.state : 'sent',
    confirmations: status.state === 'block' ? status.confirmations : 0,
    finalConfirmations,
  });
  if (next === 'complete')
    await end(round, id, { status: next, paid: status.state === 'block' ? status.fee : null });
  if (next === 'failed')
    await end(round, id, {
      status: next,
      error: status.state === 'impossible' ? status.reason : null,
    });
}

type End =
  /** `paid`: null when the chain does not show it; then all that is held. */
  { status: 'complete'; paid: Amount | null } | { status: 'failed'; error: string | null };

/** Books the fee of one that is final, or gives it back. */
async function end({ context, lease }: ConsolidationRound, id: string, ended: End): Promise<void> {
  const at = timestamp(context.clock.now());
  const { status } = ended;
  await transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const error = status === 'failed' ? ended.error : null;
    const parts = await endConsolidation(trx, id, { status, error, at });
    if (parts === null) return;
    const spent = status === 'complete' ? spentOf(parts, ended.paid) : parts.map(() => 0n);
    for (const [place, part] of parts.entries())
      await settleFees(trx, heldFor(id, part.asset, part), spent[place]!, at);
    if (status === 'failed') return;
    const booked = parts.map((part, place) => ({ ...part, fee: spent[place]! }));
    await saveParts(trx, id, booked);
  });
}

/** An earlier attempt with a lower fee can be the one in the block. */
function spentOf(
  parts: readonly (ConsolidationPart & { asset: string })[],
  paid: Amount | null,
): Amount[] {
  const held = parts.map(({ fee }) => fee);
  const total = held.reduce((sum, fee) => sum + fee, 0n);
  return paid === null || paid >= total ? held : sharesOfFee(paid, held, parts[0]!.asset);
}
