import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addAccounts } from './accounts.ts';
import { addAlarms } from './alarms.ts';
import { addAutomaticPayouts } from './automatic-payouts.ts';
import { addBooks } from './books.ts';
import { addCallbacks } from './callbacks.ts';
import { addChains } from './chains.ts';
import { addCopy } from './copy.ts';
import type { Io } from './io.ts';
import { addKeys } from './keys.ts';
import { addLogin } from './login.ts';
import { addPayouts } from './payouts.ts';
import { addProfiles } from './profiles.ts';
import { addTransactions } from './transactions.ts';
import { addUnassigned } from './unassigned.ts';
import { addWallets } from './wallets.ts';

/** The operator's command line. Settings are those of the service: the same environment finds the same database and keys. */
export function createProgram(io: Io): Command {
  const program = new Command('crypto-checkout-gateway')
    .description('Looks after a payment service, while it works or while it is stopped. Reads the same settings from the environment.')
    .version(manifest.version, '--version', 'which version this is')
    .option('--json', 'the result as JSON, for programs')
    .showHelpAfterError('(add --help for what is allowed)')
    .configureOutput({ writeOut: (text) => io.out(text.trimEnd()), writeErr: (text) => io.note(text.trimEnd()) })
    .exitOverride();
  for (const add of [
    addLogin,
    addAccounts,
    addProfiles,
    addKeys,
    addWallets,
    addTransactions,
    addPayouts,
    addAutomaticPayouts,
    addUnassigned,
    addCallbacks,
    addAlarms,
    addChains,
    addBooks,
    addCopy,
  ])
    add(program, io);
  return program;
}
