import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { watchKeyOf } from '../chain/derive/target.ts';
import { DEPOSIT_FAMILIES } from '../chain/deposit-chains.ts';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { walletOfChain } from '../invoice/store.ts';
import { invalid } from '../http/invalid.ts';
import { post } from '../wallet/post.ts';
import * as store from './store.ts';
import type { Settlement, Unassigned, UnassignedRow } from './store.ts';

export interface Dismissal {
  id: string;
  /** Why, for whoever reads the books later: 1 to 500 characters. */
  reason: string;
  /** Who says so, as an operator's name. */
  by: string;
}

export interface Assignment extends Dismissal {
  /** Whose money it is now. */
  accountId: string;
}

const LONGEST_REASON = 500;

/**
 * Puts money without an owner to an account's wallet of its chain, whole: nobody guesses whose it is, so a person says it. Nobody is
 * told by a callback, because no payment of theirs was seen. For the same account again it changes nothing.
 * @throws ServiceError `NotFound`; `ValidationError` for a reason that can't be kept, and where the address is another account's;
 * `InvalidState` when it was put elsewhere, a transaction has it, a payout sent it away, or nobody could spend it
 * @example await assignMoney(context, { id, accountId, reason: 'Order 17, the buyer forgot the tag', by: 'operator' });
 */
export async function assignMoney(context: Context, { id, accountId, reason, by }: Assignment): Promise<Unassigned> {
  return settle(context, { id, reason, by }, accountId, async (trx, row, said) => {
    const settlement = { ...said, ...(await placeOf(trx, row, accountId)) };
    const amount = parseAmount(row.amount);
    await post(trx, {
      accountId,
      // An entry is written once: the books themselves refuse a second one.
      entryId: id,
      reason: 'unassigned_assigned',
      resourceId: id,
      at: said.settled_at,
      lines: [
        { book: 'wallet', walletId: settlement.wallet_id, bucket: 'available', currency: row.asset, amount },
        { book: 'chain', currency: row.asset, amount: -amount },
      ],
    });
    if (settlement.invoice_id !== null) await store.addDeposit(trx, row, settlement);
    return settlement;
  });
}

/**
 * Takes money without an owner off the list and credits nobody, as what was sent back by hand. Again it changes nothing.
 * @throws ServiceError `NotFound`, `ValidationError` for the reason, `InvalidState` when it was put to a wallet
 */
export async function dismissMoney(context: Context, dismissal: Dismissal): Promise<Unassigned> {
  return settle(context, dismissal, null, async (_, __, said) => ({ ...said, account_id: null, wallet_id: null, invoice_id: null }));
}

type Said = Pick<Settlement, 'settled_by' | 'settled_reason'> & { settled_at: string };

/** Under the lock of the row: of any number of decisions at once, the first counts. */
async function settle(
  context: Context,
  { id, reason, by }: Dismissal,
  accountId: string | null,
  decide: (trx: Trx, row: UnassignedRow, said: Said) => Promise<Settlement>,
): Promise<Unassigned> {
  const said: Said = { settled_at: timestamp(context.clock.now()), settled_by: by, settled_reason: checkedReason(reason) };
  const { row, settlement } = await transact(context.db, async (trx) => {
    const row = isUuid(id) ? await store.lockUnassigned(trx, id) : null;
    if (row === null) throw notFound();
    if (row.settled_at !== null) {
      if (row.account_id !== accountId) throw wrongState(`was put away already: ${row.settled_reason}`);
      return { row, settlement: null };
    }
    const settlement = await decide(trx, row, said);
    await store.saveSettlement(trx, id, settlement);
    return { row, settlement };
  });
  const unassigned = store.present({ ...row, ...settlement });
  if (settlement !== null) context.log.info({ unassigned, by }, 'money without an owner was put away');
  return unassigned;
}

function checkedReason(text: string): string {
  const reason = text.trim();
  // The database refuses NUL in a text.
  if (reason === '' || reason.length > LONGEST_REASON || reason.includes('\0'))
    throw invalid('reason', `must have 1 to ${LONGEST_REASON} characters, and no NUL`);
  return reason;
}

type Place = Pick<Settlement, 'invoice_id'> & { account_id: string; wallet_id: string };

/** The wallet, and on chains where every address has a balance of its own the address whose money must be moved together first. */
async function placeOf(trx: Trx, row: UnassignedRow, accountId: string): Promise<Place> {
  if (await store.isCredited(trx, row)) throw wrongState('was credited with a transaction meanwhile');
  if (await store.isPaidAway(trx, row)) throw wrongState('left with a payout, to an address that is not ours');
  const chain = row.chain as ChainId;
  const { family, walletChain, name } = CHAINS[chain];
  // What an adapter could not explain has its bare address, what the engine could not its watch key.
  const at = await store.invoiceAt(trx, [row.address.includes(':') ? row.address : watchKeyOf(chain, row.address)]);
  if (at !== null && at.account_id !== accountId) throw invalid('account', `must be ${at.account_id}, whose address it came to`);
  const isDeposit = DEPOSIT_FAMILIES.has(family);
  if (isDeposit && at === null) throw wrongState('lies on an address that was never given out, from which nobody can move it');
  const walletId = await walletOfChain(trx, accountId, walletChain);
  if (walletId === null) throw wrongState(`can't be put there: the account has no ${name} wallet`);
  return { account_id: accountId, wallet_id: walletId, invoice_id: isDeposit ? at!.invoice_id : null };
}

/** Of an unknown id, and for whom it is none of their business alike. */
export const notFound = (): ServiceError => new ServiceError('NotFound', 'There is no money without an owner with this id.');

const wrongState = (what: string): ServiceError => new ServiceError('InvalidState', `The money ${what}.`);
