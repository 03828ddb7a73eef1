import { CHAINS, KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { amountText } from '@crypto-checkout/protocol/schema/fields/amount';
import { AUTOMATIC_PAYOUT_INTERVALS } from '@crypto-checkout/protocol/schema/automatic-payout';
import type { Command } from 'commander';
import { createAutomaticPayout, type Editor } from '../../automation/payout/create.ts';
import { presentAutomaticPayout } from '../../automation/payout/present.ts';
import { newestRules, type RuleView } from '../../automation/payout/store.ts';
import { deleteAutomaticPayout, updateAutomaticPayout } from '../../automation/payout/update.ts';
import type { Context } from '../../context.ts';
import { isUuid } from '../../http/id.ts';
import { accountIdOf, accountOf, walletOf } from '../account-of.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { requireOneOf } from '../options.ts';
import { limitAndOffset, pageFrom, readPage } from '../page.ts';
import { showOne, showRows } from '../table.ts';

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

const KEEP = [
  '--keep <amount>',
  'amount that stays in the wallet, for example 0.5; 0 sends everything',
] as const;
const MIN = ['--min <amount>', 'smallest amount to send'] as const;
const KIND = ['--kind <kind>', 'a coin or token that the wallet holds'] as const;
const INTERVAL = ['--interval <minutes>', AUTOMATIC_PAYOUT_INTERVALS.join(', ')] as const;

/**
 * The operator's own rules. The API shows them, and changes only those that were created with that
 * option.
 */
export function addAutomaticPayouts(program: Command, io: Io): void {
  const rules = program
    .command('automatic-payouts')
    .description('rules that send the excess of a wallet to an address');
  for (const add of [addList, addCreate, addUpdate, addDecisions]) add(rules, io);
}

function addList(rules: Command, io: Io): void {
  rules
    .command('list')
    .description('lists automatic payouts, newest first, 25 a page')
    .option('--account <id>', 'default: every account')
    .option('--page <number>', 'from 1', '1')
    .action((options: { account?: string; page: string }, command: Command) =>
      withContext(io, async (context) => {
        const accountId = await accountIdOf(context, options.account);
        const page = readPage(options.page);
        const found = await newestRules(context.db, { accountId, ...limitAndOffset(page) });
        showRows(
          io,
          command.optsWithGlobals(),
          pageFrom(io, found, page).map(shown),
          'There are no automatic payouts.',
        );
      }),
    );
}

function addCreate(rules: Command, io: Io): void {
  rules
    .command('create')
    .description(
      'creates a rule for a wallet and coin; it is disabled, and editable only here, unless an option changes that',
    )
    .argument('<wallet>', 'id of the paying wallet, from wallets list')
    .argument('<address>', 'recipient; XRP: with a tag as r…:17, or an X-address')
    .requiredOption(...KEEP)
    .option(MIN[0], `${MIN[1]}; default: 0`)
    .option(KIND[0], `${KIND[1]}; default: the native coin of its chain`)
    .option(INTERVAL[0], `${INTERVAL[1]}; default: 60`)
    .option('--enabled', 'enables the rule; it first runs after one interval')
    .option('--api-editable', 'the API may change the rule too')
    .option('--account <id>', 'requires that the wallet belongs to this account')
    .action((walletId: string, address: string, options: CreateOptions, command: Command) =>
      withContext(io, async (context) => {
        const wallet = await walletOf(context, walletId);
        const accountId =
          options.account === undefined
            ? wallet.account_id
            : (await accountOf(context, options.account)).id;
        const payload = {
          wallet: walletId,
          recipient_address: address,
          is_enabled: options.enabled,
          ...termsOf(options, wallet.chain),
        };
        const made = await createAutomaticPayout(
          context,
          operatorOf(accountId),
          payload,
          editableBy(options),
        ).catch(asTyped);
        showOne(io, command.optsWithGlobals(), shown(made));
      }),
    );
}

function addUpdate(rules: Command, io: Io): void {
  rules
    .command('update')
    .description('changes the given properties of an automatic payout')
    .argument('<id>', "the automatic payout's id")
    .option('--to <address>', 'recipient')
    .option(...KEEP)
    .option(...MIN)
    .option(...KIND)
    .option(...INTERVAL)
    .option('--api-editable', 'the API may change the rule too')
    .option('--no-api-editable', 'only the command line may change the rule')
    .action((id: string, options: UpdateOptions, command: Command) =>
      withContext(io, async (context) => {
        if (Object.keys(options).length === 0)
          throw new UsageError(
            'Give at least one of --to, --keep, --min, --kind, --interval, --api-editable and --no-api-editable.',
          );
        const { operator, walletChain } = await ruleOf(context, id);
        const payload = { recipient_address: options.to, ...termsOf(options, walletChain) };
        const changed = await updateAutomaticPayout(
          context,
          operator,
          id,
          payload,
          editableBy(options),
        ).catch(asTyped);
        showOne(io, command.optsWithGlobals(), shown(changed));
      }),
    );
}

/** `enable`, `disable` and `delete`: commands with an id and no options. */
function addDecisions(rules: Command, io: Io): void {
  const decide = (
    name: string,
    description: string,
    work: (context: Context, operator: Editor, id: string) => Promise<RuleView>,
  ) =>
    rules
      .command(name)
      .description(description)
      .argument('<id>', "the automatic payout's id")
      .action((id: string, _: unknown, command: Command) =>
        withContext(io, async (context) => {
          const { operator } = await ruleOf(context, id);
          showOne(
            io,
            command.optsWithGlobals(),
            shown(await work(context, operator, id).catch(asTyped)),
          );
        }),
      );
  decide(
    'enable',
    'enables an automatic payout; it first runs after one interval',
    (context, operator, id) => updateAutomaticPayout(context, operator, id, { is_enabled: true }),
  );
  decide(
    'disable',
    'disables an automatic payout; payouts it created continue',
    (context, operator, id) => updateAutomaticPayout(context, operator, id, { is_enabled: false }),
  );
  decide(
    'delete',
    'deletes an automatic payout; payouts it created continue',
    deleteAutomaticPayout,
  );
}

const operatorOf = (accountId: string): Editor => ({
  accountId,
  name: 'command line',
  overApi: false,
});

const editableBy = ({ apiEditable }: TermOptions) =>
  apiEditable === undefined ? {} : { isApiEditable: apiEditable };

async function ruleOf(
  { db }: Context,
  id: string,
): Promise<{ operator: Editor; walletChain: string }> {
  const rule = isUuid(id)
    ? await db
        .selectFrom('automatic_payout')
        .select(['account_id', 'kind'])
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (!rule)
    throw new UsageError(
      `No automatic payout has the id ${id}. List them with: automatic-payouts list`,
    );
  return {
    operator: operatorOf(rule.account_id),
    walletChain: CHAINS[kindOf(rule.kind)!.chain].walletChain,
  };
}

/** The options as members of the API's payload. */
function termsOf({ keep, min, kind, interval }: TermOptions, walletChain: string) {
  return {
    keep_amount: keep === undefined ? undefined : amountOf('--keep', keep),
    min_amount: min === undefined ? undefined : amountOf('--min', min),
    kind: kind === undefined ? undefined : kindIn(walletChain, kind),
    interval:
      interval === undefined
        ? undefined
        : Number(requireOneOf('--interval', AUTOMATIC_PAYOUT_INTERVALS.map(String), interval)),
  };
}

function amountOf(option: string, text: string): string {
  if (amountText.safeParse(text).success) return text;
  throw new UsageError(`${option} takes an amount such as 0.5, not "${text}".`);
}

function kindIn(walletChain: string, text: string): string {
  const kinds = KINDS.filter(
    ({ chain }) => chain !== 'lightning' && CHAINS[chain].walletChain === walletChain,
  ).map(({ kind }) => kind);
  // Some kinds have lower-case letters, which are easy to mistype.
  return requireOneOf(
    '--kind',
    kinds,
    kinds.find((kind) => kind.toLowerCase() === text.toLowerCase()) ?? text,
  );
}

function shown(rule: RuleView) {
  const {
    id,
    wallet,
    kind,
    recipient_address,
    keep_amount,
    min_amount,
    interval,
    is_enabled,
    is_api_editable,
  } = presentAutomaticPayout(rule);
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
