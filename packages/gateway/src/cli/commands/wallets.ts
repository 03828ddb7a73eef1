import type { Command } from 'commander';
import { setAddressFormat } from '../../wallet/set-address-format.ts';
import { assetsOf, presentWallet } from '../../wallet/present.ts';
import { listWallets } from '../../wallet/store.ts';
import { accountOf, walletOf } from '../account-of.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, withContext } from '../io.ts';
import { showOne, showRows } from '../table.ts';

export function addWallets(program: Command, io: Io): void {
  const wallets = program.command('wallets').description('balances and settings of wallets');

  wallets
    .command('list')
    .description('lists the wallets of an account with their balances')
    .option('--account <id>', 'default: the first account')
    .action((options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        const rows = await listWallets(context.db, id, null);
        if (command.optsWithGlobals()['json'])
          return io.out(JSON.stringify(rows.map(presentWallet), null, 2));
        showRows(
          io,
          {},
          rows.flatMap((row) => {
            const { id: wallet, name, balances, token_balances = [] } = presentWallet(row);
            const kinds = assetsOf(row.chain);
            return [balances, ...token_balances].map((one, at) => ({
              id: wallet,
              name,
              // A chain may have two kinds of one currency: CELO and CELO-CELO.
              kind: kinds[at],
              currency: one.currency,
              available: one.available,
              pending: one.pending,
              to_consolidate: one.to_consolidate,
            }));
          }),
          'The account has no wallets.',
        );
      }),
    );

  wallets
    .command('address-format')
    .description('sets the format of new addresses of a bitcoin wallet')
    .argument('<id>', "the wallet's id")
    .argument('<format>', 'bech32 (bc1q…) or p2sh (3…)')
    .option('--account <id>', 'requires that the wallet belongs to this account')
    .action((id: string, format: string, options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const accountId =
          options.account === undefined
            ? (await walletOf(context, id)).account_id
            : (await accountOf(context, options.account)).id;
        const { name, address_format } = await setAddressFormat(context, accountId, id, {
          address_format: format,
        }).catch(asTyped);
        showOne(io, command.optsWithGlobals(), { id, name, address_format });
      }),
    );
}
