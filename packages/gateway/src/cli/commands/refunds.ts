import { REFUND_STATUSES } from '@crypto-checkout/protocol/status';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { isUuid } from '../../http/id.ts';
import { decideRefund } from '../../refund/decide.ts';
import { presentRefund } from '../../refund/present.ts';
import { findRefunds, listRefunds, type RefundView } from '../../refund/store.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { addStatusList } from '../status-list.ts';
import { showOne } from '../table.ts';

const APPROVER = { username: 'command line', email: null };

export function addRefunds(program: Command, io: Io): void {
  const refunds = program.command('refunds').description('money that goes back to buyers');

  addStatusList(refunds, io, {
    noun: 'refunds',
    statuses: REFUND_STATUSES,
    waiting: 'all that can be approved or rejected',
    read: async (context, { accountId, status }, rows) => {
      const filter = { status: status ?? undefined };
      return (await listRefunds(context.db, accountId, filter, rows)).rows;
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
          const { account_id: accountId } = await refundOf(context, id);
          const approver = { ...APPROVER, accountId };
          const decided = await decideRefund(context, approver, id, { is_approved }).catch(asTyped);
          showOne(io, command.optsWithGlobals(), shown(decided));
        }),
      );
}

async function refundOf(context: Context, id: string): Promise<RefundView> {
  const [refund] = isUuid(id) ? await findRefunds(context.db, [id]) : [];
  if (refund) return refund;
  throw new UsageError(`No refund has the id ${id}. List them with: refunds list --status all`);
}

function shown(view: RefundView) {
  const refund = presentRefund(view);
  return {
    id: refund.id,
    status: refund.status,
    cause: refund.cause,
    amount: `${refund.amount.amount} ${refund.amount.currency}`,
    address: refund.address,
    destination_tag: refund.destination_tag,
    is_proven: refund.is_proven,
    transaction_id: refund.transaction_id,
    payout_id: refund.payout_id,
    created_at: refund.created_at,
    error: refund.error,
  };
}
