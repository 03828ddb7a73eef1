import { CHAINS, KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { amountText } from '@crypto-checkout/protocol/schema/amount';
import { AUTOMATIC_PAYOUT_INTERVALS } from '@crypto-checkout/protocol/schema/automatic-payout';
import type { Command } from 'commander';
import { createAutomaticPayout, type Editor } from '../automatic-payout/create.ts';
import { presentAutomaticPayout } from '../automatic-payout/present.ts';
import { newestRules, type RuleView } from '../automatic-payout/store.ts';
import { deleteAutomaticPayout, updateAutomaticPayout } from '../automatic-payout/update.ts';
import type { Context } from '../context.ts';
import { isUuid } from '../http/id.ts';
import { accountIdOf, accountOf, walletOf } from './account-of.ts';
import { asTyped } from './as-typed.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { oneOf, pageFrom, readPage, window } from './page.ts';
import { showOne, showRows } from './table.ts';

interface TermOptions {
  keep?: string;
  min?: string;
  kind?: string;
  interval?: string;
  apiEditable?: boolean;
}

interface CreateOptions extends TermOptions {
  keep: string;
  enabled?: boolean;
  account?: string;
}

interface UpdateOptions extends TermOptions {
  to?: string;
}

const KEEP = ['--keep <amount>', 'what stays in the wallet, as 0.5; 0 sends all of it'] as const;
const MIN = ['--min <amount>', 'less than this is not sent'] as const;
const KIND = ['--kind <kind>', 'a coin or token that the wallet holds'] as const;
const INTERVAL = ['--interval <minutes>', AUTOMATIC_PAYOUT_INTERVALS.join(', ')] as const;

/** The operator's own rules (§2.10): the interface shows them, and changes only those that they say so of. */
export function addAutomaticPayouts(program: Command, io: Io): void {
  const rules = program.command('automatic-payouts').description('what a wallet has too much of, sent to an address by itself');

  rules
    .command('list')
    .description('automatic payouts, newest first, 25 a page')
    .option('--account <id>', 'default: every account')
    .option('--page <number>', 'from 1', '1')
    .action((options: { account?: string; page: string }, command: Command) =>
      withContext(io, async (context) => {
        const accountId = await accountIdOf(context, options.account);
        const page = readPage(options.page);
        const found = await newestRules(context.db, { accountId, ...window(page) });
        showRows(io, command.optsWithGlobals(), pageFrom(io, found, page).map(shown), 'There is no automatic payout.');
      }),
    );

  rules
    .command('create')
    .description('one for a wallet and coin, off until it is enabled; only the command line changes it')
    .argument('<wallet>', 'id of the wallet that pays, as wallets list shows it')
    .argument('<address>', 'where to; XRP: also with a tag, as r…:17, or an X-address')
    .requiredOption(...KEEP)
    .option(MIN[0], `${MIN[1]}; default: 0`)
    .option(KIND[0], `${KIND[1]}; default: the own coin of its chain`)
    .option(INTERVAL[0], `${INTERVAL[1]}; default: 60`)
    .option('--enabled', 'it is on at once, and first sends one interval from now')
    .option('--api-editable', 'the interface may change it too')
    .option('--account <id>', 'only when the wallet is of this account')
    .action((walletId: string, address: string, options: CreateOptions, command: Command) =>
      withContext(io, async (context) => {
        const wallet = await walletOf(context, walletId);
        const accountId = options.account === undefined ? wallet.account_id : (await accountOf(context, options.account)).id;
        const payload = { wallet: walletId, recipient_address: address, is_enabled: options.enabled, ...termsOf(options, wallet.chain) };
        const made = await createAutomaticPayout(context, operatorOf(accountId), payload, editableBy(options)).catch(asTyped);
        showOne(io, command.optsWithGlobals(), shown(made));
      }),
    );

  rules
    .command('update')
    .description('changes one; what is not named stays')
    .argument('<id>', "the automatic payout's id")
    .option('--to <address>', 'where to')
    .option(...KEEP)
    .option(...MIN)
    .option(...KIND)
    .option(...INTERVAL)
    .option('--api-editable', 'the interface may change it too')
    .option('--no-api-editable', 'only the command line may change it')
    .action((id: string, options: UpdateOptions, command: Command) =>
      withContext(io, async (context) => {
        if (Object.keys(options).length === 0)
          throw new UsageError('Name what is to change: --to, --keep, --min, --kind, --interval, --api-editable or --no-api-editable.');
        const { operator, walletChain } = await ruleOf(context, id);
        const payload = { recipient_address: options.to, ...termsOf(options, walletChain) };
        const changed = await updateAutomaticPayout(context, operator, id, payload, editableBy(options)).catch(asTyped);
        showOne(io, command.optsWithGlobals(), shown(changed));
      }),
    );

  const decide = (name: string, description: string, work: (context: Context, operator: Editor, id: string) => Promise<RuleView>) =>
    rules
      .command(name)
      .description(description)
      .argument('<id>', "the automatic payout's id")
      .action((id: string, _: unknown, command: Command) =>
        withContext(io, async (context) => {
          const { operator } = await ruleOf(context, id);
          showOne(io, command.optsWithGlobals(), shown(await work(context, operator, id).catch(asTyped)));
        }),
      );
  decide('enable', 'switches one on: it first sends one interval from now', (context, operator, id) =>
    updateAutomaticPayout(context, operator, id, { is_enabled: true }),
  );
  decide('disable', 'switches one off; payouts that it made go on', (context, operator, id) =>
    updateAutomaticPayout(context, operator, id, { is_enabled: false }),
  );
  decide('delete', 'ends one; payouts that it made go on', deleteAutomaticPayout);
}

const operatorOf = (accountId: string): Editor => ({ accountId, name: 'command line', overApi: false });

const editableBy = ({ apiEditable }: TermOptions) => (apiEditable === undefined ? {} : { isApiEditable: apiEditable });

async function ruleOf({ db }: Context, id: string): Promise<{ operator: Editor; walletChain: string }> {
  const rule = isUuid(id)
    ? await db.selectFrom('automatic_payout').select(['account_id', 'kind']).where('id', '=', id).executeTakeFirst()
    : undefined;
  if (!rule) throw new UsageError(`There is no automatic payout with the id ${id}; automatic-payouts list shows them.`);
  return { operator: operatorOf(rule.account_id), walletChain: CHAINS[kindOf(rule.kind)!.chain].walletChain };
}

/** As members of the interface's payload. */
function termsOf({ keep, min, kind, interval }: TermOptions, walletChain: string) {
  return {
    keep_amount: keep === undefined ? undefined : amountOf('--keep', keep),
    min_amount: min === undefined ? undefined : amountOf('--min', min),
    kind: kind === undefined ? undefined : kindIn(walletChain, kind),
    interval: interval === undefined ? undefined : Number(oneOf('--interval', AUTOMATIC_PAYOUT_INTERVALS.map(String), interval)),
  };
}

function amountOf(option: string, text: string): string {
  if (amountText.safeParse(text).success) return text;
  throw new UsageError(`${option} takes an amount as 0.5, not "${text}".`);
}

function kindIn(walletChain: string, text: string): string {
  const kinds = KINDS.filter(({ chain }) => chain !== 'lightning' && CHAINS[chain].walletChain === walletChain).map(({ kind }) => kind);
  // Some have small letters in them, which nobody types from memory.
  return oneOf('--kind', kinds, kinds.find((kind) => kind.toLowerCase() === text.toLowerCase()) ?? text);
}

function shown(rule: RuleView) {
  const { id, wallet, kind, recipient_address, keep_amount, min_amount, interval, is_enabled, is_api_editable } =
    presentAutomaticPayout(rule);
  return {
    id,
    account_id: rule.account_id,
    wallet: wallet.name,
    kind,
    recipient_address,
    keep_amount,
    min_amount,
    interval,
    is_enabled,
    is_api_editable,
    created_by: rule.created_by,
    next_at: is_enabled ? rule.next_at : null,
    error: rule.last_error,
  };
}
