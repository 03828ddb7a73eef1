import { REFUND_STATUSES } from '@crypto-checkout/protocol/status';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { isUuid } from '../../http/id.ts';
import { decideRefund } from '../../refund/decide.ts';
import { presentRefund } from '../../refund/present.ts';
import { findRefunds, listRefunds, type RefundView } from '../../refund/store.ts';
import { accountIdOf } from '../account-of.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { oneOf, pageFrom, readPage, window } from '../page.ts';
import { showOne, showRows } from '../table.ts';

const APPROVER = { username: 'command line', email: null };
const STATUSES = [...REFUND_STATUSES, 'all', 'waiting'] as const;

interface ListOptions {
  status: string;
  account?: string;
  page: string;
}

export function addRefunds(program: Command, io: Io): void {
  const refunds = program.command('refunds').description('money that goes back to buyers');

  refunds
    .command('list')
    .description('lists refunds, newest first, 25 a page')
    .option(
      '--status <status>',
      `${REFUND_STATUSES.join(', ')}, all, or waiting (all that can be approved or rejected)`,
      'waiting',
    )
    .option('--account <id>', 'default: every account')
    .option('--page <number>', 'from 1', '1')
    .action((options: ListOptions, command: Command) =>
      withContext(io, async (context) => {
        const accountId = await accountIdOf(context, options.account);
        const page = readPage(options.page);
        const status = oneOf('--status', STATUSES, options.status);
        const filter = { status: status === 'all' ? undefined : status };
        const { rows } = await listRefunds(context.db, accountId, filter, window(page));
        const none =
          status === 'all'
            ? 'There are no refunds.'
            : `There are no ${status} refunds. List all with: --status all`;
        showRows(io, command.optsWithGlobals(), pageFrom(io, rows, page).map(shown), none);
      }),
    );

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
    is_proven: refund.is_proven,
    transaction_id: refund.transaction_id,
    payout_id: refund.payout_id,
    created_at: refund.created_at,
    error: refund.error,
  };
}
