import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addAccounts } from './commands/accounts.ts';
import { addAlarms } from './commands/alarms.ts';
import { addAutomaticPayouts } from './commands/automatic-payouts.ts';
import { addBooks } from './commands/books.ts';
import { addCallbacks } from './commands/callbacks.ts';
import { addChains } from './commands/chains.ts';
import { addCheck } from './commands/check.ts';
import { addCopy } from './copy.ts';
import type { Io } from './io.ts';
import { addKeys } from './commands/keys.ts';
import { addLogin } from './commands/login.ts';
import { addPayouts } from './commands/payouts.ts';
import { addProofKeys } from './commands/proof-keys.ts';
import { addProfiles } from './commands/profiles.ts';
import { addRefunds } from './commands/refunds.ts';
import { addTransactions } from './commands/transactions.ts';
import { addUnassigned } from './commands/unassigned.ts';
import { addUnsigned } from './commands/unsigned.ts';
import { addWallets } from './commands/wallets.ts';

/**
 * The operator's command line. It reads the service's settings: the same environment finds the same
 * database and keys.
 */
export function createProgram(io: Io): Command {
  const program = new Command('crypto-checkout-gateway')
    .description(
      'Administers a payment service, running or stopped. Reads its settings from the environment.',
    )
    .version(manifest.version, '--version', 'prints the version')
    .option('--json', 'prints JSON instead of a table')
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
    })
    .exitOverride();
  for (const add of [
    addLogin,
    addAccounts,
    addProfiles,
    addKeys,
    addProofKeys,
    addWallets,
    addTransactions,
    addPayouts,
    addRefunds,
    addAutomaticPayouts,
    addUnassigned,
    addUnsigned,
    addCallbacks,
    addAlarms,
    addChains,
    addBooks,
    addCheck,
    addCopy,
  ])
    add(program, io);
  return program;
}
