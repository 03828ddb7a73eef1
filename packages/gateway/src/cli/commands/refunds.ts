import { REFUND_STATUSES } from '@crypto-checkout/protocol/status';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { ordersOf } from '../../dashboard/order-money.ts';
import { isUuid } from '../../http/id.ts';
import { decideRefund } from '../../refund/decide.ts';
import { presentRefund } from '../../refund/present.ts';
import { findRefunds, listRefunds, type RefundView } from '../../refund/store.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { addStatusList } from '../status-list.ts';
import { showOne } from '../table.ts';

/** Statuses in which nothing arrives. */
const NOTHING: readonly string[] = ['rejected', 'failed'];

const APPROVER = { username: 'command line', email: null };

export function addRefunds(program: Command, io: Io): void {
  const refunds = program.command('refunds').description('money that goes back to buyers');

  addStatusList(refunds, io, {
    noun: 'refunds',
    statuses: REFUND_STATUSES,
    waiting: 'all that can be approved or rejected',
    read: async (context, { accountId, status }, rows) => {
      const filter = { status: status ?? undefined };
      return withOrders(context, (await listRefunds(context.db, accountId, filter, rows)).rows);
    },
    show: shown,
  });

  const decisions = [
    ['approve', 'approves a refund: its payout is sent', true],
    ['reject', 'rejects a refund: its transaction counts again', false],
  ] as const;
  for (const [name, description, is_approved] of decisions)
    refunds
      .command(name)
      .description(description)
      .argument('<id>', "the refund's id")
      .action((id: string, _: unknown, command: Command) =>
        withContext(io, async (context) => {
          const { view: asked, order_id } = await refundOf(context, id);
          const approver = { ...APPROVER, accountId: asked.account_id };
          const view = await decideRefund(context, approver, id, { is_approved }).catch(asTyped);
          showOne(io, command.optsWithGlobals(), shown({ view, order_id }));
        }),
      );
}

async function refundOf(context: Context, id: string): Promise<OfOrder> {
  const found = isUuid(id) ? await findRefunds(context.db, [id]) : [];
  const [refund] = await withOrders(context, found);
  if (refund) return refund;
  throw new UsageError(`No refund has the id ${id}. List them with: refunds list --status all`);
}

interface OfOrder {
  view: RefundView;
  /** The shop's id of the order; null without one. */
  order_id: string | null;
}

async function withOrders({ db }: Context, views: readonly RefundView[]): Promise<OfOrder[]> {
  const orders = await ordersOf(
    db,
    views.map(({ invoice_id }) => invoice_id),
  );
  return views.map((view) => ({ view, order_id: orders.get(view.invoice_id) ?? null }));
}

function shown({ view, order_id }: OfOrder) {
  const refund = presentRefund(view);
  const sum = ({ amount, currency }: { amount: string; currency: string }): string =>
    `${amount} ${currency}`;
  return {
    id: refund.id,
    status: refund.status,
    order_id,
    cause: refund.cause,
    amount: sum(refund.amount),
    received: NOTHING.includes(refund.status) ? null : sum(refund.received),
    address: refund.address,
    destination_tag: refund.destination_tag,
    is_proven: refund.is_proven,
    transaction_id: refund.transaction_id,
    payout_id: refund.payout_id,
    txid: refund.txid,
    created_at: refund.created_at,
    error: refund.error,
  };
}
