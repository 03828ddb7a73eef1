import { kindOf } from '@crypto-checkout/protocol/kind';
import { PAYOUT_STATUSES } from '@crypto-checkout/protocol/status';
import type { Command } from 'commander';
import { isUuid } from '../http/id.ts';
import { decidePayout } from '../payout/decide.ts';
import { presentPayout } from '../payout/present.ts';
import { findPayouts, newestPayouts, type PayoutView } from '../payout/store.ts';
import { accountIdOf } from './account-of.ts';
import { asTyped } from './as-typed.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { oneOf, pageFrom, readPage, window } from './page.ts';
import { showOne, showRows } from './table.ts';

const APPROVER = { username: 'command line', email: null };

interface ListOptions {
  status: string;
  account?: string;
  page: string;
}

export function addPayouts(program: Command, io: Io): void {
  const payouts = program.command('payouts').description('payments that go out');

  payouts
    .command('list')
    .description('payouts, newest first, 25 a page')
    .option('--status <status>', `${PAYOUT_STATUSES.join(', ')}, all, or waiting: those that can be rejected`, 'waiting')
    .option('--account <id>', 'default: every account')
    .option('--page <number>', 'from 1', '1')
    .action((options: ListOptions, command: Command) =>
      withContext(io, async (context) => {
        const accountId = await accountIdOf(context, options.account);
        const page = readPage(options.page);
        const status = oneOf('--status', [...PAYOUT_STATUSES, 'all', 'waiting'], options.status);
        const filter = { accountId, status: status === 'all' ? null : status, now: context.clock.now() };
        const found = await newestPayouts(context.db, { ...filter, ...window(page) });
        const none = status === 'all' ? 'There is no payout.' : `There is no payout that is ${status}; --status all lists every one.`;
        showRows(io, command.optsWithGlobals(), pageFrom(io, found, page).map(shown), none);
      }),
    );

  payouts
    .command('reject')
    .description('ends a draft, or a payout that waits for its time, for money or for a policy; it is never sent')
    .argument('<id>', "the payout's id")
    .action((id: string, _: unknown, command: Command) =>
      withContext(io, async (context) => {
        const [payout] = isUuid(id) ? await findPayouts(context.db, [id]) : [];
        if (!payout) throw new UsageError(`There is no payout with the id ${id}; payouts list shows them.`);
        const approver = { ...APPROVER, accountId: payout.account_id };
        showOne(io, command.optsWithGlobals(), shown(await decidePayout(context, approver, id, { approve: false }).catch(asTyped)));
      }),
    );
}

function shown(view: PayoutView) {
  const { id, status, kind, amount, recipients, created_at, error, reference_id } = presentPayout(view);
  return {
    id,
    status,
    kind,
    amount: `${amount.total} ${kindOf(view.asset)?.symbol ?? view.asset}`,
    recipients: recipients.length,
    created_at,
    scheduled_at: view.scheduled_at,
    reference_id,
    error,
  };
}
