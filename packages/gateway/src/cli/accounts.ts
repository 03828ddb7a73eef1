import { webhookSecret } from '@crypto-checkout/protocol/callback';
import type { Command } from 'commander';
import { sql } from 'kysely';
import { callbackToken } from '../account/callback-token.ts';
import { createAccount } from '../account/create.ts';
import type { Context } from '../context.ts';
import { accountOf } from './account-of.ts';
import { asTyped } from './as-typed.ts';
import { type Io, type Shape, withContext } from './io.ts';
import { showOne, showRows } from './table.ts';

export function addAccounts(program: Command, io: Io): void {
  const accounts = program.command('accounts').description('accounts and sub accounts');

  accounts
    .command('list')
    .description('every account')
    .action((_: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const { rows } = await sql<{ id: string; name: string; parent_id: string | null; is_testnet: boolean; created_at: string }>`
          select id, name, parent_id, is_testnet, created_at from account order by created_at, id`.execute(db);
        showRows(io, command.optsWithGlobals(), rows, 'There is no account.');
      }),
    );

  accounts
    .command('create')
    .description(
      'an account with a wallet per chain, a default profile and secrets that its callbacks are signed with; keys create gives it a key',
    )
    .argument('<name>', 'at most 64 characters')
    .option('--parent <account>', "a sub account of that account; default: an account of the operator's own")
    .action((name: string, options: Shape & { parent?: string }, command: Command) =>
      withContext(io, async (context) => {
        const parentId = options.parent === undefined ? null : (await accountOf(context, options.parent, '--parent')).id;
        const { id, profiles } = await createAccount(context, { parentId }, { name }).catch(asTyped);
        showOne(io, command.optsWithGlobals(), {
          id,
          name,
          parent_id: parentId,
          profile_id: profiles[0],
          ...(await callbackSecrets(context, id)),
        });
      }),
    );

  accounts
    .command('callback-token')
    .description("what a receiver checks an account's callbacks with: the token for signature, the secret for webhook-signature")
    .argument('[account]', "the account's id; default: the first account")
    .action((named: string | undefined, _: unknown, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, named, 'callback-token');
        showOne(io, command.optsWithGlobals(), { account_id: id, ...(await callbackSecrets(context, id)) });
      }),
    );
}

/** Of both signatures (§6, and Standard Webhooks): the same secret in two forms. */
async function callbackSecrets(context: Context, accountId: string) {
  const token = await callbackToken(context, context.db, accountId);
  return { callback_token: token, webhook_secret: webhookSecret(token) };
}
