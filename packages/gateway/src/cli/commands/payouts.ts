import { kindOf } from '@crypto-checkout/protocol/kind';
import { PAYOUT_STATUSES } from '@crypto-checkout/protocol/status';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { isUuid } from '../../http/id.ts';
import { decidePayout } from '../../payout/approval/decide.ts';
import { presentPayout } from '../../payout/present.ts';
import { giveUpPayout } from '../../payout/sending/give-up.ts';
import { requestReplacement } from '../../payout/sending/replace.ts';
import { approvalRequest } from '../../payout/approval/signer-approval.ts';
import { findPayouts, type PayoutView } from '../../payout/store.ts';
import { newestPayouts } from '../../payout/list-store.ts';
import { approval, type Approval } from '../../signer/approval.ts';
import { saveApproval } from '../../signer/client/stored-approval.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { addStatusList } from '../status-list.ts';
import { showOne } from '../table.ts';

const APPROVER = { username: 'command line', email: null };

export function addPayouts(program: Command, io: Io): void {
  const payouts = program.command('payouts').description('outgoing payments');

  addStatusList(payouts, io, {
    noun: 'payouts',
    statuses: PAYOUT_STATUSES,
    waiting: 'all that can still be rejected',
    hint: 'Approved ones that wait to be sent: --status new. ',
    read: (context, filter, rows) =>
      newestPayouts(context.db, { ...filter, now: context.clock.now(), ...rows }),
    show: shown,
  });

  addDecisions(payouts, io);
  addReplacements(payouts, io);
  addGivingUp(payouts, io);
  addSignerApproval(payouts, io);
}

const DECISIONS = [
  ['approve', 'approves a draft, or a payout that waits for a policy', true],
  [
    'reject',
    'rejects a draft, or a payout that waits for its date, for funds or for approval; it will not be sent',
    false,
  ],
] as const;

function addDecisions(payouts: Command, io: Io): void {
  for (const [name, description, approve] of DECISIONS)
    payouts
      .command(name)
      .description(description)
      .argument('<id>', "the payout's id")
      .action((id: string, _: unknown, command: Command) =>
        withContext(io, async (context) => {
          const payout = await payoutOf(context, id);
          const approver = { ...APPROVER, accountId: payout.account_id };
          const decided = await decidePayout(context, approver, id, { approve }).catch(asTyped);
          showOne(io, command.optsWithGlobals(), shown(decided));
        }),
      );
}

const REPLACEMENTS = [
  ['bump', 'sends a payout that waits for its block again for a higher fee'],
  [
    'cancel',
    'replaces a payout that waits for its block with a transaction that pays nobody; it can still be paid until that one is final',
  ],
] as const;

function addReplacements(payouts: Command, io: Io): void {
  for (const [intent, description] of REPLACEMENTS)
    payouts
      .command(intent)
      .description(description)
      .argument('<id>', "the payout's id")
      .action((id: string, _: unknown, command: Command) =>
        withContext(io, async (context) => {
          const { account_id: accountId } = await payoutOf(context, id);
          const { username } = APPROVER;
          const payout = await requestReplacement(
            context,
            { accountId, username },
            id,
            intent,
          ).catch(asTyped);
          showOne(io, command.optsWithGlobals(), shown(payout));
        }),
      );
}

function addGivingUp(payouts: Command, io: Io): void {
  payouts
    .command('give-up')
    .description(
      'ends a payout over lightning as failed whose payment its node has no record of; make sure first that nobody was paid',
    )
    .argument('<id>', "the payout's id")
    .action((id: string, _: unknown, command: Command) =>
      withContext(io, async (context) => {
        const payout = await payoutOf(context, id);
        const ended = await giveUpPayout(context, APPROVER, payout).catch(asTyped);
        showOne(io, command.optsWithGlobals(), shown(ended));
      }),
    );
}

/** The two commands of an approval that is made on another machine, for the signer process. */
function addSignerApproval(payouts: Command, io: Io): void {
  payouts
    .command('approval-request')
    .description('prints what an approver signs with `crypto-checkout-signer approve`')
    .argument('<id>', "the payout's id")
    .action((id: string) =>
      withContext(io, async (context) => {
        const payout = await payoutOf(context, id);
        io.out(JSON.stringify(approvalRequest(payout, context.network), null, 2));
      }),
    );
  payouts
    .command('attach-approval')
    .description('stores the approval of a payout for the signer process')
    .argument('<id>', "the payout's id")
    .argument('<approval>', 'the JSON that `crypto-checkout-signer approve` printed')
    .action((id: string, text: string) =>
      withContext(io, async (context) => {
        await payoutOf(context, id);
        await saveApproval(context.db, id, readApproval(text));
        io.note('Stored. The signer decides about it when the payout is sent.');
      }),
    );
}

function readApproval(text: string): Approval {
  try {
    return approval.parse(JSON.parse(text));
  } catch {
    throw new UsageError(
      'The approval must be the JSON that crypto-checkout-signer approve prints.',
    );
  }
}

async function payoutOf(context: Context, id: string): Promise<PayoutView> {
  const [payout] = isUuid(id) ? await findPayouts(context.db, [id]) : [];
  if (payout) return payout;
  throw new UsageError(`No payout has the id ${id}. List them with: payouts list --status all`);
}

function shown(view: PayoutView) {
  const { id, status, kind, amount, recipients, created_at, error, reference_id } =
    presentPayout(view);
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
