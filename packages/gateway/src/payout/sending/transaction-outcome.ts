import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { PayoutStatus } from '@crypto-checkout/protocol/status';
import type { Context } from '../../context.ts';
import { chainFacts, type ChainPlace, type SentStatus } from '../../engine/sending/track.ts';
import { milliseconds, timestamp, type Trx } from '../../database/database.ts';
import { coinName } from '../../alarm/coin-name.ts';
import { raiseAlarm } from '../../alarm/raise.ts';
import { holdFunds, releaseFunds, returnFee, spendFeeOnly, spendFunds } from '../hold.ts';
import { movePayout } from '../transition.ts';
import { isUnsent, sentPath, UNCONFIRMED_AFTER_MS } from '../state.ts';
import type { LockedPayout, PayoutChange, PayoutView } from '../store.ts';

/** @returns null if the payout does not change */
export function nextTransition(
  { clock }: Context,
  payout: PayoutView,
  transaction: SentStatus,
): { path: PayoutStatus[]; observed: PayoutChange } | null {
  // An unseen transaction counts as sent only after the network accepted it once.
  if (transaction.state === 'unseen' && isUnsent(payout.status)) return null;
  const now = clock.now();
  const path = sentPath({
    status: payout.status,
    ...chainFacts(transaction),
    finalConfirmations: CHAINS[payout.chain].finalConfirmations,
    aged:
      transaction.state !== 'block' &&
      payout.executed_at !== null &&
      now - milliseconds(payout.executed_at) > UNCONFIRMED_AFTER_MS,
  });
  const observed = observedChange(payout, transaction, timestamp(now));
  return path.length === 0 && isUnchanged(payout, observed) ? null : { path, observed };
}

function observedChange(payout: PayoutView, transaction: SentStatus, now: string): PayoutChange {
  const place =
    transaction.state === 'block'
      ? {
          block_height: transaction.height,
          block_hash: transaction.hash,
          confirmations: transaction.confirmations,
        }
      : { block_height: null, block_hash: null, confirmations: 0 };
  const fee =
    transaction.state === 'block' && transaction.fee !== null
      ? { fee: formatAmount(transaction.fee) }
      : {};
  return {
    txid: transaction.txid ?? payout.txid,
    executed_at: payout.executed_at ?? now,
    ...place,
    ...fee,
  };
}

function isUnchanged(payout: PayoutView, observed: PayoutChange): boolean {
  const sameFee =
    observed.fee === undefined || parseAmount(observed.fee) === parseAmount(payout.fee);
  return (
    sameFee &&
    (['txid', 'block_height', 'block_hash', 'confirmations', 'executed_at'] as const).every(
      (name) => payout[name] === observed[name],
    )
  );
}

/** Posts the ledger entries of a payout that ends. */
export async function postOutcome(
  trx: Trx,
  payout: LockedPayout,
  status: PayoutStatus | undefined,
  transaction: ChainPlace,
  at: string,
): Promise<PayoutChange> {
  if (payout.hold !== 'held') return {};
  const fee =
    transaction.state === 'block' && transaction.fee !== null
      ? transaction.fee
      : parseAmount(payout.fee);
  if (status === 'complete') {
    await spendFunds(trx, payout, fee, at);
    return { hold: 'spent' };
  }
  if (status !== 'failed') return {};
  if (transaction.state === 'block') await spendFeeOnly(trx, payout, fee, at);
  else await releaseFunds(trx, payout, at);
  const reason =
    transaction.state === 'block' || transaction.state === 'impossible' ? transaction.reason : null;
  return { hold: 'released', error: reason ?? 'The transaction failed on the chain' };
}

/** A repair takes what was paid, also from the fees that sweeps may need. */
const NO_SWEEPS = { coin: '', amounts: new Map<string, bigint>(), sweepFee: 0n };

/**
 * Repairs a payout that failed although a block pays it: the fee of a block that left the chain
 * returns, and the released funds are held again and spent. While the wallet holds too little, the
 * payout stays confirmed.
 * @param isCovered whether to hold the funds now
 * @throws LedgerError if the balance is too low; the caller must roll back
 */
export async function repairPayout(
  trx: Trx,
  context: Context,
  payout: LockedPayout,
  transaction: SentStatus,
  isCovered: boolean,
): Promise<void> {
  if (payout.hold !== 'released' || transaction.state !== 'block' || !transaction.succeeded) return;
  const wasFailed = payout.status === 'failed';
  if (!isCovered && !wasFailed) return;
  const at = timestamp(context.clock.now());
  if (wasFailed) await returnFee(trx, payout, at);
  const { path = [], observed = {} } = nextTransition(context, payout, transaction) ?? {};
  if (isCovered) {
    await holdFunds(trx, payout, at, NO_SWEEPS);
    const held = { ...payout, hold: 'held' as const };
    const ended = await postOutcome(trx, held, path.at(-1), transaction, at);
    await movePayout(trx, context, payout, path, {
      ...observed,
      error: null,
      hold: 'held',
      ...ended,
    });
  } else {
    await movePayout(trx, context, payout, ['confirmed'], { ...observed, error: null });
  }
  if (!wasFailed) return;
  const reason = `A payout of ${formatAmount(parseAmount(payout.total))} ${coinName(payout.kind)} failed, but its transaction ${transaction.txid ?? ''} was found in a block: the recipient was paid (payout ${payout.id})`;
  await raiseAlarm(trx, {
    id: context.ids.uuid(),
    chain: payout.chain,
    resource_id: null,
    reason: isCovered ? reason : `${reason}, and the wallet holds too little for it`,
    raised_at: at,
  });
}
