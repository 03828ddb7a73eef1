import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Command } from 'commander';
import { createKey, keySecret } from '../account/create-key.ts';
import { listKeys, type KeyRow, removeKey } from '../account/key-store.ts';
import { API_KEY_PERMISSIONS, PERMISSIONS } from '../account/permission.ts';
import { rotateKey } from '../account/rotate-key.ts';
import { updateKey } from '../account/update-key.ts';
import type { Context } from '../context.ts';
import { isUuid } from '../http/id.ts';
import { accountOf } from './account-of.ts';
import { asTyped } from './as-typed.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { showOne, showRows } from './table.ts';

const CREATED_BY = 'command line';
/** Of the interface. */
const MAX_GRACE_SECONDS = 604_800;

interface CreateOptions {
  account?: string;
  permissions?: string;
  integrator?: boolean;
  maxPayout?: string;
  whitelistIp?: string;
  nonceWindow?: boolean;
}

interface UpdateOptions {
  name?: string;
  permissions?: string;
  maxPayout?: string;
  whitelistIp?: string;
}

export function addKeys(program: Command, io: Io): void {
  const keys = program.command('keys').description('API keys');

  keys
    .command('list')
    .description('the keys of an account; secrets are not shown')
    .option('--account <id>', 'default: the first account')
    .action((options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        const rows = await listKeys(context.db, { accountId: id, isIntegrator: false });
        showRows(io, command.optsWithGlobals(), rows.map(shown), 'The account has no key.');
      }),
    );

  keys
    .command('create')
    .description('a key; its secret is shown now and never again')
    .argument('<name>', 'at most 64 characters')
    .option('--account <id>', 'default: the first account')
    .option(
      '--permissions <list>',
      'invoices:read,invoices:write; default: every one but payouts:approve, which is never joined with creating',
    )
    .option('--integrator', 'may manage sub accounts and their keys')
    .option('--max-payout <usd>', 'payouts above it become drafts')
    .option('--whitelist-ip <list>', 'addresses or CIDRs, with commas between them, from which it may be used')
    .option('--nonce-window', 'for callers that send in parallel')
    .action((name: string, options: CreateOptions, command: Command) =>
      withContext(io, async (context) => {
        const { id: accountId } = await accountOf(context, options.account);
        const owner = { accountId, createdBy: CREATED_BY, isIntegratorKey: options.integrator ?? false };
        const key = await createKey(context, owner, {
          name,
          permissions: options.permissions === undefined ? API_KEY_PERMISSIONS : permissionsOf(options.permissions),
          ...(options.maxPayout === undefined ? {} : { max_payout: options.maxPayout }),
          ...(options.whitelistIp === undefined ? {} : { whitelist_ip: listOf(options.whitelistIp) }),
          nonce_window: options.nonceWindow ?? false,
        }).catch(asTyped);
        showOne(io, command.optsWithGlobals(), { ...shown(key), api_secret: keySecret(context, key) });
      }),
    );

  keys
    .command('update')
    .description('changes what a key may do; what is not named stays')
    .argument('<id>', "the key's id")
    .option('--name <name>', 'at most 64 characters')
    .option('--permissions <list>', 'invoices:read,invoices:write')
    .option('--max-payout <usd>', 'payouts above it become drafts; none for no limit')
    .option('--whitelist-ip <list>', 'addresses or CIDRs, with commas between them; all for everywhere')
    .action((id: string, options: UpdateOptions, command: Command) =>
      withContext(io, async (context) => {
        if (Object.keys(options).length === 0)
          throw new UsageError('Name what is to change: --name, --permissions, --max-payout or --whitelist-ip.');
        const { name, maxPayout, whitelistIp } = options;
        const permissions = options.permissions === undefined ? undefined : permissionsOf(options.permissions);
        const key = await updateKey(context, await keyOf(context, id), {
          ...(name === undefined ? {} : { name }),
          ...(permissions === undefined ? {} : { permissions }),
          ...(maxPayout === undefined ? {} : { max_payout: maxPayout === 'none' ? null : maxPayout }),
          ...(whitelistIp === undefined ? {} : { whitelist_ip: whitelistIp === 'all' ? null : listOf(whitelistIp) }),
        }).catch(asTyped);
        showOne(io, command.optsWithGlobals(), shown(key));
      }),
    );

  keys
    .command('rotate')
    .description('a new secret for a key')
    .argument('<id>', "the key's id")
    .option('--grace <seconds>', 'how long the old secret works beside it, at most a week', '0')
    .action((id: string, { grace }: { grace: string }, command: Command) =>
      withContext(io, async (context) => {
        if (!/^\d{1,9}$/.test(grace) || Number(grace) > MAX_GRACE_SECONDS)
          throw new UsageError(`--grace takes seconds, at most ${MAX_GRACE_SECONDS} (a week), not "${grace}".`);
        const key = await rotateKey(context, await keyOf(context, id), { grace_seconds: Number(grace) });
        showOne(io, command.optsWithGlobals(), { ...shown(key), api_secret: keySecret(context, key) });
      }),
    );

  keys
    .command('delete')
    .description('ends a key at once')
    .argument('<id>', "the key's id")
    .action((id: string, _: unknown, command: Command) =>
      withContext(io, async (context) => {
        const removed = await removeKey(context.db, await keyOf(context, id));
        if (removed) showOne(io, command.optsWithGlobals(), shown(removed));
      }),
    );
}

async function keyOf({ db }: Context, id: string): Promise<{ account_id: string; id: string }> {
  const key = isUuid(id) ? await db.selectFrom('api_key').select(['account_id', 'id']).where('id', '=', id).executeTakeFirst() : undefined;
  if (!key) throw new UsageError(`There is no API key with the id ${id}; keys list shows them.`);
  return key;
}

const listOf = (text: string): string[] => text.split(',').map((item) => item.trim());

function permissionsOf(text: string): string[] {
  const permissions = listOf(text);
  const unknown = permissions.find((name) => !PERMISSIONS.some((permission) => permission === name));
  if (unknown === undefined) return permissions;
  throw new UsageError(`--permissions has "${unknown}", which is none of ${PERMISSIONS.join(', ')}.`);
}

const shown = ({ id, name, api_key, account_id, permissions, is_integrator_key, max_payout, whitelist_ip }: KeyRow) => ({
  id,
  name,
  api_key,
  account_id,
  is_integrator_key,
  max_payout: max_payout === null ? null : formatAmount(parseAmount(max_payout)),
  whitelist_ip,
  permissions,
});
