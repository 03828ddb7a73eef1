import type { Command } from 'commander';
import { assignMoney, dismissMoney } from '../../unassigned/assign.ts';
import { countForInvoice } from '../../unassigned/count-for-invoice.ts';
import { listUnlisted } from '../../unassigned/unlisted-tokens.ts';
import { listUnassigned, type Unassigned } from '../../unassigned/store.ts';
import { accountOf } from '../account-of.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, withContext } from '../io.ts';
import { type Row, showOne, showRows } from '../table.ts';

interface AssignOptions {
  reason: string;
  account?: string;
  invoice?: string;
  txid?: string;
}

const LISTED = 100;
const BY = 'command line';
const REASON = ['--reason <text>', 'reason, stored with the ledger entry'] as const;

export function addUnassigned(program: Command, io: Io): void {
  const unassigned = program
    .command('unassigned')
    .description('incoming funds that match no invoice');
  addList(unassigned, io);
  addTokens(unassigned, io);
  addAssign(unassigned, io);
  addDismiss(unassigned, io);
}

function addList(unassigned: Command, io: Io): void {
  unassigned
    .command('list')
    .description('lists unassigned funds, newest first')
    .option('--settled', 'lists the decided ones instead, with operator and reason')
    .action(({ settled = false }: { settled?: boolean }, command: Command) =>
      withContext(io, async ({ db }) => {
        const rows = await listUnassigned(db, { settled, limit: LISTED });
        const none = settled
          ? 'No unassigned funds were settled yet.'
          : 'There are no unassigned funds.';
        showRows(io, command.optsWithGlobals(), rows.map(settled ? decided : waiting), none);
        if (rows.length === LISTED)
          io.note(`The newest ${LISTED}${settled ? '' : '; settle these to see the others'}.`);
      }),
    );
}

function addTokens(unassigned: Command, io: Io): void {
  unassigned
    .command('tokens')
    .description(
      'lists tokens that reached our addresses and are not in the settings, newest first: often worthless look-alikes',
    )
    .action((_: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const rows = await listUnlisted(db, LISTED);
        showRows(
          io,
          command.optsWithGlobals(),
          rows.map((row) => ({ ...row })),
          'No unlisted tokens arrived.',
        );
      }),
    );
}

function addAssign(unassigned: Command, io: Io): void {
  unassigned
    .command('assign')
    .description(
      'credits the full amount to an account’s wallet, or counts it as a payment of an invoice',
    )
    .argument('<id>', 'id from unassigned list')
    .requiredOption(...REASON)
    .option('--account <id>', 'default: the first account')
    .option(
      '--invoice <id>',
      'counts it for this invoice, at its newest price and in time; callbacks report it',
    )
    .option('--txid <txid>', 'with --invoice: the transaction, where the list does not name it')
    .action((id: string, options: AssignOptions, command: Command) =>
      withContext(io, async (context) => {
        const { reason: why, invoice: invoiceId, txid } = options;
        if (invoiceId !== undefined) {
          const payment = { id, invoiceId, txid, reason: why, by: BY };
          const counted = await countForInvoice(context, payment).catch(asTyped);
          const { id: transaction_id, status, amount, kind } = counted;
          const row = { id: transaction_id, invoice: invoiceId, status, amount, kind };
          return showOne(io, command.optsWithGlobals(), row);
        }
        const { id: accountId } = await accountOf(context, options.account);
        const assignment = { id, accountId, reason: why, by: BY };
        const assigned = await assignMoney(context, assignment).catch(asTyped);
        showOne(io, command.optsWithGlobals(), decided(assigned));
      }),
    );
}

function addDismiss(unassigned: Command, io: Io): void {
  unassigned
    .command('dismiss')
    .description('removes it from the list without a credit, for example after a manual refund')
    .argument('<id>', 'id from unassigned list')
    .requiredOption(...REASON)
    .action((id: string, options: { reason: string }, command: Command) =>
      withContext(io, async (context) => {
        const dismissed = await dismissMoney(context, { id, reason: options.reason, by: BY }).catch(
          asTyped,
        );
        showOne(io, command.optsWithGlobals(), decided(dismissed));
      }),
    );
}

const waiting = ({
  id,
  seen_at,
  chain,
  amount,
  currency,
  txid,
  address,
  reason: why,
}: Unassigned): Row => ({
  id,
  seen_at,
  chain,
  amount,
  currency,
  txid,
  address,
  why,
});

const decided = ({
  id,
  settled_at,
  amount,
  currency,
  account_id,
  wallet_id,
  settled_by,
  settled_reason,
}: Unassigned): Row => ({
  id,
  settled_at,
  amount,
  currency,
  account_id,
  wallet_id,
  by: settled_by,
  reason: settled_reason,
});
