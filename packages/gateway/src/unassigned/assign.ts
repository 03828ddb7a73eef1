import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { compareAddress } from '../balance-check/payout-address.ts';
import { isExplainedByNow } from '../balance-check/explain.ts';
import { FOUND } from '../balance-check/known-balances.ts';
import { watchKeyOf } from '@crypto-checkout/chains/deposit-target';
import { DEPOSIT_FAMILIES } from '../wallet/deposit-chains.ts';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { walletOfChain } from '../invoice/store.ts';
import { invalid } from '../http/invalid.ts';
import { post } from '../ledger/post.ts';
import * as store from './store.ts';
import type { Settlement, Unassigned, UnassignedRow } from './store.ts';
import { payoutWatchKey } from './payout-address.ts';

export interface Dismissal {
  id: string;
  /** Reason for the audit log: 1 to 500 characters. */
  reason: string;
  /** Name of the operator. */
  by: string;
}

export interface Assignment extends Dismissal {
  /** The account to credit. */
  accountId: string;
}

const MAX_REASON_LENGTH = 500;

/**
 * Assigns unassigned funds to an account's wallet of their chain, in full, by an operator's
 * decision. Sends no callback, because no invoice was paid. Repeating it for the same account
 * changes nothing.
 * @throws ServiceError `NotFound`; `ValidationError` for an invalid reason, and if the address
 * belongs to another account;
 * `InvalidState` if the funds were settled otherwise, credited as a transaction, sent by a payout,
 * not final yet, or cannot be spent
 * @throws UnavailableError if the node does not answer
 * @example
 * const reason = 'Order 17, the buyer forgot the tag';
 * await assignMoney(context, { id, accountId, reason, by: 'operator' });
 */
export async function assignMoney(
  context: Context,
  { id, accountId, reason, by }: Assignment,
): Promise<Unassigned> {
  await requireStillThere(context, id);
  return settle(context, { id, reason, by }, accountId, async (trx, row, decision) => {
    const settlement = { ...decision, ...(await targetOf(trx, context, row, accountId)) };
    const amount = parseAmount(row.amount);
    await post(trx, {
      accountId,
      // The ledger rejects a second entry with this id.
      entryId: id,
      reason: 'unassigned_assigned',
      resourceId: id,
      at: decision.settled_at,
      lines: [
        {
          book: 'wallet',
          walletId: settlement.wallet_id,
          bucket: 'available',
          currency: row.asset,
          amount,
        },
        { book: 'chain', currency: row.asset, amount: -amount },
      ],
    });
    if (settlement.invoice_id !== null) await store.addDeposit(trx, row, settlement);
    return settlement;
  });
}

/**
 * Money without a transaction is compared with the chain again: a scan may have found the
 * transaction since, and would have credited it.
 */
export async function requireStillThere(context: Context, id: string): Promise<void> {
  const row = isUuid(id) ? await store.findUnassigned(context.db, id) : null;
  if (row === null || row.settled_at !== null) return;
  const chain = row.chain as ChainId;
  if (row.block_height !== null) {
    const { finalConfirmations } = CHAINS[chain];
    const depth = (await store.scannedHeight(context.db, chain)) - row.block_height + 1;
    if (depth < finalConfirmations)
      throw wrongState(
        `have ${depth} of ${finalConfirmations} confirmations: they may still disappear`,
      );
  }
  if (!row.observation_key.startsWith(FOUND)) return;
  const adapter = context.chains.get(chain);
  const watchKey = watchKeyOf(chain, row.address);
  const compared = adapter === undefined ? null : await compareAddress(context, adapter, watchKey);
  const own = compared?.find(({ asset }) => asset === row.asset);
  if (own === undefined)
    throw wrongState(
      'cannot be compared with the chain now: a transaction of the address is on its way, or the node lacks its state',
    );
  if (own.balance < own.known) throw wrongState(EXPLAINED);
}

export const EXPLAINED = 'are explained by a transaction now, or are not on the address any more';

/**
 * Dismisses unassigned funds without crediting an account, e.g. after a manual refund. Idempotent.
 * @throws ServiceError `NotFound`, `ValidationError` for an invalid reason, `InvalidState` if they
 * were assigned
 */
export async function dismissMoney(context: Context, dismissal: Dismissal): Promise<Unassigned> {
  return settle(context, dismissal, null, async (_, __, decision) => ({
    ...decision,
    account_id: null,
    wallet_id: null,
    invoice_id: null,
  }));
}

type Decision = Pick<Settlement, 'settled_by' | 'settled_reason'> & { settled_at: string };

/** Settles under the row's lock, so that the first of several concurrent decisions wins. */
async function settle(
  context: Context,
  { id, reason, by }: Dismissal,
  accountId: string | null,
  decide: (trx: Trx, row: UnassignedRow, decision: Decision) => Promise<Settlement>,
): Promise<Unassigned> {
  const decision: Decision = {
    settled_at: timestamp(context.clock.now()),
    settled_by: by,
    settled_reason: checkedReason(reason),
  };
  const { row, settlement } = await transact(context.db, async (trx) => {
    const row = isUuid(id) ? await store.lockUnassigned(trx, id) : null;
    if (row === null) throw notFound();
    if (row.settled_at !== null) {
      if (row.account_id !== accountId)
        throw wrongState(`were settled already: ${row.settled_reason}`);
      return { row, settlement: null };
    }
    if (await isExplainedByNow(trx, row)) throw wrongState(EXPLAINED);
    const settlement = await decide(trx, row, decision);
    await store.saveSettlement(trx, id, settlement);
    return { row, settlement };
  });
  const unassigned = store.present({ ...row, ...settlement });
  if (settlement !== null)
    context.log.info({ event: 'unassigned_settled', unassigned, by }, 'unassigned funds settled');
  return unassigned;
}

export function checkedReason(text: string): string {
  const reason = text.trim();
  // PostgreSQL rejects NUL in text.
  if (reason === '' || reason.length > MAX_REASON_LENGTH || reason.includes('\0'))
    throw invalid('reason', `must have 1 to ${MAX_REASON_LENGTH} characters and no NUL`);
  return reason;
}

type Target = Pick<Settlement, 'invoice_id'> & { account_id: string; wallet_id: string };

/** The wallet to credit and, on chains that sweep deposit addresses, the invoice of the address. */
async function targetOf(
  trx: Trx,
  { senders }: Context,
  row: UnassignedRow,
  accountId: string,
): Promise<Target> {
  if (await store.isCredited(trx, row))
    throw wrongState('were credited to a transaction meanwhile');
  if (await store.isPaidAway(trx, row))
    throw wrongState('left with a payout, to an address outside this service');
  const chain = row.chain as ChainId;
  const { family, walletChain, name } = CHAINS[chain];
  // Adapters record the plain address, the engine records the watch key.
  const watchKey = row.address.includes(':') ? row.address : watchKeyOf(chain, row.address);
  const at = await store.invoiceAt(trx, [watchKey]);
  if (at !== null && at.account_id !== accountId)
    throw invalid('account', `must be ${at.account_id}, the owner of the receiving address`);
  const isOnPayoutAddress = watchKey === payoutWatchKey(senders.get(chain));
  const isDeposit = DEPOSIT_FAMILIES.has(family) && !isOnPayoutAddress;
  if (isDeposit && at === null)
    throw wrongState('are on an address that was never issued, so they cannot be spent');
  const walletId = await walletOfChain(trx, accountId, walletChain);
  if (walletId === null) throw wrongState(`cannot be assigned: the account has no ${name} wallet`);
  return {
    account_id: accountId,
    wallet_id: walletId,
    invoice_id: isDeposit ? at!.invoice_id : null,
  };
}

/** For an unknown id, and for a caller who may not see it. */
export const notFound = (): ServiceError =>
  new ServiceError('NotFound', 'There are no unassigned funds with this id.');

export const wrongState = (what: string): ServiceError =>
  new ServiceError('InvalidState', `The unassigned funds ${what}.`);
