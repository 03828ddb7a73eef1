import { webhookSecret } from '@crypto-checkout/protocol/callback';
import type { Command } from 'commander';
import { sql } from 'kysely';
import { callbackToken } from '../../account/callback-token.ts';
import { createAccount } from '../../account/create.ts';
import type { Context } from '../../context.ts';
import { accountOf } from '../account-of.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, type Shape, withContext } from '../io.ts';
import { showOne, showRows } from '../table.ts';

export function addAccounts(program: Command, io: Io): void {
  const accounts = program.command('accounts').description('accounts and sub accounts');

  accounts
    .command('list')
    .description('lists all accounts')
    .action((_: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const { rows } = await sql<{
          id: string;
          name: string;
          parent_id: string | null;
          is_testnet: boolean;
          created_at: string;
        }>`
          select id, name, parent_id, is_testnet, created_at from account order by created_at, id`.execute(
          db,
        );
        showRows(io, command.optsWithGlobals(), rows, 'There are no accounts.');
      }),
    );

  accounts
    .command('create')
    .description(
      'creates an account with one wallet per chain, a default profile and callback secrets; create its key with keys create',
    )
    .argument('<name>', 'at most 64 characters')
    .option(
      '--parent <account>',
      'parent account of a sub account; default: none, an account of the operator',
    )
    .action((name: string, options: Shape & { parent?: string }, command: Command) =>
      withContext(io, async (context) => {
        const parentId =
          options.parent === undefined
            ? null
            : (await accountOf(context, options.parent, '--parent')).id;
        const { id, profiles } = await createAccount(context, { parentId }, { name }).catch(
          asTyped,
        );
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
    .description(
      "shows the secrets that verify an account's callbacks: callback_token for `signature`, webhook_secret for `webhook-signature`",
    )
    .argument('[account]', "the account's id; default: the first account")
    .action((named: string | undefined, _: unknown, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, named, 'callback-token');
        showOne(io, command.optsWithGlobals(), {
          account_id: id,
          ...(await callbackSecrets(context, id)),
        });
      }),
    );
}

/** The secret of both callback signatures (ours and Standard Webhooks), in two forms. */
async function callbackSecrets(context: Context, accountId: string) {
  const token = await callbackToken(context, context.db, accountId);
  return { callback_token: token, webhook_secret: webhookSecret(token) };
}
