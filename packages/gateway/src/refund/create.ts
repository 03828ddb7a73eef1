import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { isDuplicate } from '../database/transact.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { storePayout, type PlannedPayout, type StorePayout } from '../payout/create.ts';
import type { TransactionRow } from '../transaction/store.ts';
import { findTransactions } from '../transaction/views.ts';
import { entitlementIn, lockMoney, settleMoney, withoutRefund, type LockedMoney } from './money.ts';
import { planRefund, receivedOf, type RefundTerms } from './plan.ts';
import { entitlementOf, restOf, type Entitlement, type MoneyFacts } from './entitlement.ts';
import {
  amountOf,
  feePayerOf,
  readRefundRequest,
  type RefundCaller,
  type RefundRequest,
} from './request.ts';
import { isOpen, isReplaceable, statusOfPayout } from './state.ts';
import {
  findByReference,
  findRefunds,
  insertRefund,
  refundsOf,
  saveRefund,
  type RefundView,
} from './store.ts';
import { moveRefund, reportRefund } from './transition.ts';

export type CreatedRefund =
  | { type: 'created' | 'existing'; refund: RefundView }
  | { type: 'estimate'; refund: EstimatedRefund };

/** A refund that is not stored. */
export type EstimatedRefund = Omit<RefundView, 'id' | 'version' | 'number'>;

/**
 * Asks for a refund, or makes it at once for a key that may pay out. The transaction counts for
 * nothing else from then on. The same request again is the same refund; a proven request replaces
 * an unproven one (docs/interface.md, "Create a refund").
 * @param input the unvalidated payload
 * @throws ServiceError for an invalid input; nothing is stored then
 */
export async function createRefund(
  context: Context,
  caller: RefundCaller,
  input: unknown,
): Promise<CreatedRefund> {
  const request = readRefundRequest(input);
  if (context.config.refunds === 'off' && !caller.canPayOut)
    throw new ServiceError('InvalidState', 'Refunds are off: the setting REFUNDS is off.');
  const transaction = await findTransaction(context, caller.accountId, request);
  const isEstimate = request.payload.estimate_only === true;
  if (!isEstimate) {
    const found = await findRepeated(context, request, transaction);
    if (found !== null) return { type: 'existing', refund: found };
  }
  const plan = await makePlan(context, caller, request, transaction);
  if ('existing' in plan) return { type: 'existing', refund: plan.existing };
  if (isEstimate) return { type: 'estimate', refund: estimateOf(context, request, plan) };
  try {
    const { id, type } = await store(context, caller, request, plan);
    return { type, refund: (await findRefunds(context.db, [id]))[0]! };
  } catch (error) {
    // A concurrent request for another transaction took the reference.
    const found = isDuplicate(error, 'refund_reference')
      ? await findRepeated(context, request, transaction)
      : null;
    if (found === null) throw error;
    return { type: 'existing', refund: found };
  }
}

async function findTransaction(
  { db }: Context,
  accountId: string,
  { payload: { transaction_id: id } }: RefundRequest,
): Promise<TransactionRow> {
  const [found] = isUuid(id) ? await findTransactions(db, [id], accountId) : [];
  if (found) return found;
  throw new ServiceError('NotFound', 'There is no transaction with this transaction_id.', {
    errors: [{ field: 'transaction_id', message: 'must be the id of a transaction' }],
  });
}

/** A request that was answered before asks no node again. */
async function findRepeated(
  context: Context,
  request: RefundRequest,
  { id, account_id }: TransactionRow,
): Promise<RefundView | null> {
  const { db } = context;
  const { reference_id } = request.payload;
  if (typeof reference_id === 'string') {
    const found = await findByReference(db, account_id, reference_id);
    const isSame = found?.fingerprint === request.fingerprint;
    if (isSame && !(request.isProven && isReplaceable(found))) return found;
    if (found !== null && !isSame)
      throw new ServiceError(
        'DuplicateReference',
        `Another refund with other parameters has this reference_id: ${found.id}.`,
        { errors: [{ field: 'reference_id', message: 'must be unique' }] },
      );
  }
  const refunds = await refundsOf(db, id);
  const verdict = judge(refunds, request);
  if (verdict.type === 'existing') return verdict.refund;
  const paid = refunds.findLast(
    ({ status, fingerprint }) => status === 'paid' && fingerprint === request.fingerprint,
  );
  if (paid === undefined || verdict.type !== 'new') return null;
  // The answer was lost, and the caller asks again: nothing is left to return.
  return (await hasMore(context, paid)) ? null : paid;
}

const hasMore = ({ db }: Context, refund: RefundView): Promise<boolean> =>
  transact(db, async (trx) => entitlementOf((await lockMoney(trx, refund)).facts) !== null);

type Verdict =
  | { type: 'new'; refund: null }
  /**
   * `existing`: changes nothing; `proven`: gets its proof; `replaced`: makes room for a proven one.
   */
  | { type: 'existing' | 'proven' | 'replaced'; refund: RefundView };

/** @throws ServiceError `AlreadyExists` if another refund of the transaction is open */
function judge(refunds: readonly RefundView[], { fingerprint, isProven }: RefundRequest): Verdict {
  const open = refunds.find(({ status }) => isOpen(status));
  if (open === undefined) return { type: 'new', refund: null };
  const isSame = open.fingerprint === fingerprint;
  if (isProven && isReplaceable(open))
    return { type: isSame ? 'proven' : 'replaced', refund: open };
  if (isSame) return { type: 'existing', refund: open };
  throw new ServiceError(
    'AlreadyExists',
    `Another refund of this transaction is ${open.status}: ${open.id}.`,
  );
}

type Weighed = Verdict & {
  /** The facts without the open refund. */
  facts: MoneyFacts;
  /** The money that the request gets; of an existing refund, its own. */
  entitlement: Entitlement;
};

/**
 * Judges a request under the lock, and counts its money. The proof of an earlier request replaces
 * it where another amount returns now, unless a reference names that one.
 * @throws ServiceError as `judge` and `amountOf`
 */
function weigh(
  { refunds, facts }: LockedMoney,
  request: RefundRequest,
  caller: RefundCaller,
): Weighed {
  const verdict = judge(refunds, request);
  if (verdict.type === 'new')
    return { ...verdict, facts, entitlement: amountOf(request, facts, caller) };
  const { type, refund } = verdict;
  const own = entitlementIn(refund);
  const before = withoutRefund(facts, refund);
  if (type === 'existing') return { type, refund, facts: before, entitlement: own };
  const entitlement = amountOf(request, before, caller);
  const isProof =
    type === 'proven' &&
    (entitlement.amount === own.amount || typeof request.payload.reference_id === 'string');
  return isProof
    ? { type, refund, facts: before, entitlement: own }
    : { type: 'replaced', refund, facts: before, entitlement };
}

interface Plan extends Entitlement {
  id: string;
  terms: RefundTerms;
  payout: PlannedPayout;
  transaction: TransactionRow;
  isTestnet: boolean;
}

/**
 * Reads the amount and prices the payout before the lock: both need more than the database.
 * @returns the existing refund if a concurrent request was faster
 */
async function makePlan(
  context: Context,
  caller: RefundCaller,
  request: RefundRequest,
  { id: transaction_id, invoice_id }: TransactionRow,
): Promise<Plan | { existing: RefundView }> {
  const read = await transact(context.db, async (trx) => {
    const money = await lockMoney(trx, { transaction_id, invoice_id });
    const { type, refund, facts, entitlement } = weigh(money, request, caller);
    const isEstimate = request.payload.estimate_only === true;
    if (type === 'existing' && !isEstimate) return { existing: refund };
    const left = restOf(facts.transaction) - entitlement.amount;
    return { transaction: money.facts.transaction, left, entitlement };
  });
  if (read.existing !== undefined) return { existing: read.existing };
  const { transaction, left, entitlement } = read;
  const { address, destination_tag } = request.payload;
  const id = context.ids.uuid();
  const terms: RefundTerms = {
    id,
    transaction,
    left,
    address,
    destination_tag: destination_tag ?? null,
    amount: entitlement.amount,
    network_fee_pays: feePayerOf(request, transaction, caller),
  };
  const { accountId, key, canPayOut } = caller;
  const payout = await planRefund(context, { accountId, key: canPayOut ? key : null }, terms);
  const isTestnet = payout.profile.is_testnet;
  return { ...entitlement, id, terms, payout, transaction, isTestnet };
}

async function store(
  context: Context,
  caller: RefundCaller,
  request: RefundRequest,
  plan: Plan,
): Promise<{ type: 'created' | 'existing'; id: string }> {
  const within = (trx: Trx, payout: StorePayout | null) =>
    storeLocked(trx, context, { caller, request, plan, payout });
  if (!caller.canPayOut) return transact(context.db, (trx) => within(trx, null));
  const { accountId, key } = caller;
  return storePayout(context, { accountId, key }, plan.payout, within);
}

/** Everything that a refund changes, in one database transaction. */
async function storeLocked(
  trx: Trx,
  context: Context,
  {
    caller,
    request,
    plan,
    payout,
  }: { caller: RefundCaller; request: RefundRequest; plan: Plan; payout: StorePayout | null },
): Promise<{ type: 'created' | 'existing'; id: string }> {
  const { id: transaction_id, invoice_id } = plan.transaction;
  const money = await lockMoney(trx, { transaction_id, invoice_id });
  const { type, refund: found, facts, entitlement } = weigh(money, request, caller);
  if (type === 'existing') return { type, id: found.id };
  if (type === 'proven') {
    await prove(trx, context, found, facts);
    return { type: 'existing', id: found.id };
  }
  if (entitlement.amount !== plan.amount)
    throw new ServiceError('InvalidState', 'The refundable amount changed meanwhile; ask again.');
  if (type === 'replaced')
    await moveRefund(trx, context, found, 'rejected', {
      error: 'A request by the proven buyer replaced it',
    });
  const stored = payout === null ? null : await payout();
  await insertRefund(trx, {
    ...rowOf(context, request, plan),
    id: plan.id,
    events: ['refund_requested'],
    key_id: caller.key.id,
    payout_id: stored?.id ?? null,
    status: stored === null ? 'requested' : statusOfPayout(stored.status),
    automatic:
      stored === null && request.isProven && isAutomatic(context, plan, facts) ? 'due' : 'no',
  });
  await settleMoney(trx, context, money);
  await reportRefund(trx, context, plan.id, 'refund_requested');
  return { type: 'created', id: plan.id };
}

/** The proof arrived after the request. */
async function prove(
  trx: Trx,
  context: Context,
  refund: RefundView,
  facts: MoneyFacts,
): Promise<void> {
  const { status, events, cause } = refund;
  const entitlement = { cause, amount: parseAmount(refund.amount) };
  await saveRefund(trx, refund, {
    status,
    events,
    updated_at: timestamp(context.clock.now()),
    is_proven: true,
    automatic: isAutomatic(context, entitlement, facts) ? 'due' : 'no',
  });
}

/**
 * Whether a proven request goes by itself. An offer of the shop waits for the shop, which named its
 * amount. So does money of an order that was paid twice: a payment of which more than half is too
 * much, or one after the order was paid.
 */
const isAutomatic = (
  { config }: Context,
  { cause, amount }: Entitlement,
  { transaction, invoice }: MoneyFacts,
): boolean =>
  config.refunds === 'auto' &&
  cause !== 'offered' &&
  !(cause === 'excess' && 2n * amount > parseAmount(transaction.amount)) &&
  !(cause === 'late' && ['paid', 'complete'].includes(invoice.status));

function termsOf({ payload, isProven, fingerprint }: RefundRequest, plan: Plan) {
  const { transaction, terms, payout, cause, amount } = plan;
  return {
    account_id: transaction.account_id,
    transaction_id: transaction.id,
    invoice_id: transaction.invoice_id,
    profile_id: transaction.profile_id,
    kind: transaction.kind,
    asset: transaction.asset,
    cause,
    address: terms.address,
    destination_tag: terms.destination_tag,
    amount: formatAmount(amount),
    received: formatAmount(receivedOf(payout)),
    network_fee_pays: terms.network_fee_pays,
    is_proven: isProven,
    usd_value: payout.payout.usd_value,
    reference_id: payload.reference_id ?? null,
    reason: payload.reason ?? null,
    fingerprint,
  };
}

function rowOf({ clock }: Context, request: RefundRequest, plan: Plan) {
  const at = timestamp(clock.now());
  return {
    ...termsOf(request, plan),
    created_at: at,
    updated_at: at,
  };
}

function estimateOf(context: Context, request: RefundRequest, plan: Plan): EstimatedRefund {
  return {
    ...rowOf(context, request, plan),
    status: 'requested',
    payout_id: null,
    automatic: 'no',
    key_id: null,
    decided_by: null,
    decided_at: null,
    error: null,
    events: [],
    is_testnet: plan.isTestnet,
    txid: null,
    payout_status: null,
    payout_error: null,
  };
}
