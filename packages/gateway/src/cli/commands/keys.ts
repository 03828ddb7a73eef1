import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Command } from 'commander';
import { createKey, keySecret } from '../../account/keys/create-key.ts';
import { listKeys, type KeyRow, removeKey } from '../../account/keys/key-store.ts';
import { API_KEY_PERMISSIONS, PERMISSIONS } from '../../account/keys/permission.ts';
import { rotateKey } from '../../account/keys/rotate-key.ts';
import { updateKey } from '../../account/keys/update-key.ts';
import type { Context } from '../../context.ts';
import { isUuid } from '../../http/id.ts';
import { accountOf } from '../account-of.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { showOne, showRows } from '../table.ts';

const CREATED_BY = 'command line';
/** Permissions of the API. */
const MAX_GRACE_SECONDS = 604_800;

interface CreateOptions {
  account?: string;
  permissions?: string;
  integrator?: boolean;
  maxPayout?: string;
  maxPayoutDaily?: string;
  whitelistIp?: string;
  nonceWindow?: boolean;
}

interface UpdateOptions {
  name?: string;
  permissions?: string;
  maxPayout?: string;
  maxPayoutDaily?: string;
  whitelistIp?: string;
}

export function addKeys(program: Command, io: Io): void {
  const keys = program.command('keys').description('API keys');
  for (const add of [addList, addCreate, addUpdate, addRotate, addDelete]) add(keys, io);
}

function addList(keys: Command, io: Io): void {
  keys
    .command('list')
    .description('lists the keys of an account, without secrets')
    .option('--account <id>', 'default: the first account')
    .action((options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        const rows = await listKeys(context.db, { accountId: id, isIntegrator: false });
        showRows(io, command.optsWithGlobals(), rows.map(shown), 'The account has no key.');
      }),
    );
}

function addCreate(keys: Command, io: Io): void {
  keys
    .command('create')
    .description('creates an API key; its secret is shown only once')
    .argument('<name>', 'at most 64 characters')
    .option('--account <id>', 'default: the first account')
    .option(
      '--permissions <list>',
      'for example invoices:read,invoices:write; default: all except payouts:approve, which cannot be combined with creating payouts',
    )
    .option('--integrator', 'may manage sub accounts and their keys')
    .option('--max-payout <usd>', 'payouts above this amount in USD become drafts')
    .option(
      '--max-payout-daily <usd>',
      'payouts within 24 hours above this sum in USD become drafts',
    )
    .option(
      '--whitelist-ip <list>',
      'comma-separated addresses or CIDRs from which the key may be used',
    )
    .option('--nonce-window', 'accepts nonces out of order, for callers that send in parallel')
    .action((name: string, options: CreateOptions, command: Command) =>
      withContext(io, async (context) => {
        const { id: accountId } = await accountOf(context, options.account);
        const owner = {
          accountId,
          createdBy: CREATED_BY,
          isIntegratorKey: options.integrator ?? false,
        };
        const key = await createKey(context, owner, {
          name,
          permissions:
            options.permissions === undefined
              ? API_KEY_PERMISSIONS
              : permissionsOf(options.permissions),
          ...(options.maxPayout === undefined ? {} : { max_payout: options.maxPayout }),
          ...(options.maxPayoutDaily === undefined
            ? {}
            : { max_payout_daily: options.maxPayoutDaily }),
          ...(options.whitelistIp === undefined
            ? {}
            : { whitelist_ip: listOf(options.whitelistIp) }),
          nonce_window: options.nonceWindow ?? false,
        }).catch(asTyped);
        showOne(io, command.optsWithGlobals(), {
          ...shown(key),
          api_secret: keySecret(context, key),
        });
      }),
    );
}

function addUpdate(keys: Command, io: Io): void {
  keys
    .command('update')
    .description('changes the given properties of a key')
    .argument('<id>', "the key's id")
    .option('--name <name>', 'at most 64 characters')
    .option('--permissions <list>', 'invoices:read,invoices:write')
    .option(
      '--max-payout <usd>',
      'payouts above this amount in USD become drafts; none removes the limit',
    )
    .option(
      '--max-payout-daily <usd>',
      'payouts within 24 hours above this sum in USD become drafts; none removes the limit',
    )
    .option('--whitelist-ip <list>', 'comma-separated addresses or CIDRs; all removes the limit')
    .action((id: string, options: UpdateOptions, command: Command) =>
      withContext(io, async (context) => {
        if (Object.keys(options).length === 0)
          throw new UsageError(
            'Give at least one of --name, --permissions, --max-payout, --max-payout-daily and --whitelist-ip.',
          );
        const { name, maxPayout, maxPayoutDaily, whitelistIp } = options;
        const permissions =
          options.permissions === undefined ? undefined : permissionsOf(options.permissions);
        const key = await updateKey(context, await keyOf(context, id), {
          ...(name === undefined ? {} : { name }),
          ...(permissions === undefined ? {} : { permissions }),
          ...(maxPayout === undefined
            ? {}
            : { max_payout: maxPayout === 'none' ? null : maxPayout }),
          ...(maxPayoutDaily === undefined
            ? {}
            : { max_payout_daily: maxPayoutDaily === 'none' ? null : maxPayoutDaily }),
          ...(whitelistIp === undefined
            ? {}
            : { whitelist_ip: whitelistIp === 'all' ? null : listOf(whitelistIp) }),
        }).catch(asTyped);
        showOne(io, command.optsWithGlobals(), shown(key));
      }),
    );
}

function addRotate(keys: Command, io: Io): void {
  keys
    .command('rotate')
    .description('creates a new secret for a key')
    .argument('<id>', "the key's id")
    .option('--grace <seconds>', 'the old secret stays valid for this time, at most a week', '0')
    .action((id: string, { grace }: { grace: string }, command: Command) =>
      withContext(io, async (context) => {
        if (!/^\d{1,9}$/.test(grace) || Number(grace) > MAX_GRACE_SECONDS)
          throw new UsageError(
            `--grace takes seconds, at most ${MAX_GRACE_SECONDS} (a week), not "${grace}".`,
          );
        const key = await rotateKey(context, await keyOf(context, id), {
          grace_seconds: Number(grace),
        });
        showOne(io, command.optsWithGlobals(), {
          ...shown(key),
          api_secret: keySecret(context, key),
        });
      }),
    );
}

function addDelete(keys: Command, io: Io): void {
  keys
    .command('delete')
    .description('deletes a key with immediate effect')
    .argument('<id>', "the key's id")
    .action((id: string, _: unknown, command: Command) =>
      withContext(io, async (context) => {
        const removed = await removeKey(context.db, await keyOf(context, id));
        if (removed) showOne(io, command.optsWithGlobals(), shown(removed));
      }),
    );
}

async function keyOf({ db }: Context, id: string): Promise<{ account_id: string; id: string }> {
  const key = isUuid(id)
    ? await db
        .selectFrom('api_key')
        .select(['account_id', 'id'])
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (!key) throw new UsageError(`No API key has the id ${id}. List them with: keys list`);
  return key;
}

const listOf = (text: string): string[] => text.split(',').map((item) => item.trim());

function permissionsOf(text: string): string[] {
  const permissions = listOf(text);
  const unknown = permissions.find(
    (name) => !PERMISSIONS.some((permission) => permission === name),
  );
  if (unknown === undefined) return permissions;
  throw new UsageError(
    `--permissions: "${unknown}" is unknown; allowed: ${PERMISSIONS.join(', ')}.`,
  );
}

const shown = ({
  id,
  name,
  api_key,
  account_id,
  permissions,
  is_integrator_key,
  max_payout,
  max_payout_daily,
  whitelist_ip,
}: KeyRow) => ({
  id,
  name,
  api_key,
  account_id,
  is_integrator_key,
  max_payout: max_payout === null ? null : formatAmount(parseAmount(max_payout)),
  max_payout_daily: max_payout_daily === null ? null : formatAmount(parseAmount(max_payout_daily)),
  whitelist_ip,
  permissions,
});
