import type { Command } from 'commander';
import { assignMoney, dismissMoney } from '../unassigned/assign.ts';
import { listUnassigned, type Unassigned } from '../unassigned/store.ts';
import { accountOf } from './account-of.ts';
import { asTyped } from './as-typed.ts';
import { type Io, withContext } from './io.ts';
import { type Row, showOne, showRows } from './table.ts';

const LISTED = 100;
const BY = 'command line';

export function addUnassigned(program: Command, io: Io): void {
  const unassigned = program.command('unassigned').description('money that came to us and to nobody’s invoice');

  unassigned
    .command('list')
    .description('what waits for a decision, newest first')
    .option('--settled', 'what was decided instead, by whom and why')
    .action(({ settled = false }: { settled?: boolean }, command: Command) =>
      withContext(io, async ({ db }) => {
        const rows = await listUnassigned(db, { settled, limit: LISTED });
        const none = settled ? 'Nothing was put away yet.' : 'All money has an owner.';
        showRows(io, command.optsWithGlobals(), rows.map(settled ? decided : waiting), none);
        if (rows.length === LISTED) io.note(`The newest ${LISTED}${settled ? '' : '; the others follow when these are put away'}.`);
      }),
    );

  const reason = ['--reason <text>', 'why, for whoever reads the books later'] as const;
  unassigned
    .command('assign')
    .description('puts it to an account’s wallet, whole; look at the chain first, whether it is final there')
    .argument('<id>', 'as unassigned list shows it')
    .requiredOption(...reason)
    .option('--account <id>', 'default: the first account')
    .action((id: string, options: { reason: string; account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id: accountId } = await accountOf(context, options.account);
        const assigned = await assignMoney(context, { id, accountId, reason: options.reason, by: BY }).catch(asTyped);
        showOne(io, command.optsWithGlobals(), decided(assigned));
      }),
    );
  unassigned
    .command('dismiss')
    .description('takes it off the list and credits nobody, as what was sent back by hand')
    .argument('<id>', 'as unassigned list shows it')
    .requiredOption(...reason)
    .action((id: string, options: { reason: string }, command: Command) =>
      withContext(io, async (context) => {
        const dismissed = await dismissMoney(context, { id, reason: options.reason, by: BY }).catch(asTyped);
        showOne(io, command.optsWithGlobals(), decided(dismissed));
      }),
    );
}

const waiting = ({ id, seen_at, chain, amount, currency, txid, address, reason: why }: Unassigned): Row => ({
  id,
  seen_at,
  chain,
  amount,
  currency,
  txid,
  address,
  why,
});

const decided = ({ id, settled_at, amount, currency, account_id, wallet_id, settled_by, settled_reason }: Unassigned): Row => ({
  id,
  settled_at,
  amount,
  currency,
  account_id,
  wallet_id,
  by: settled_by,
  reason: settled_reason,
});
