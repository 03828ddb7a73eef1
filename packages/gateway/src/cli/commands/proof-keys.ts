import type { Command } from 'commander';
import {
  addProofKey,
  listProofKeys,
  type ProofKeyRow,
  rotateProofKey,
} from '../../account/proof-key-store.ts';
import { ServiceError } from '../../http/error.ts';
import { accountOf } from '../account-of.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { showRows } from '../table.ts';

export function addProofKeys(program: Command, io: Io): void {
  const keys = program
    .command('proof-keys')
    .description('keys that sign address proofs and receipts; pages pin their public halves');
  for (const add of [addList, addNext, addRotate]) add(keys, io);
}

function addList(keys: Command, io: Io): void {
  keys
    .command('list')
    .description('lists the public keys of an account')
    .option('--account <id>', 'default: the first account')
    .action((options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        const rows = await listProofKeys(context.db, id);
        showRows(io, command.optsWithGlobals(), rows.map(shown), 'The account has no key yet.');
      }),
    );
}

function addNext(keys: Command, io: Io): void {
  keys
    .command('next')
    .description('makes the next key, which signs nothing before rotate; pin it beside the current')
    .option('--account <id>', 'default: the first account')
    .action((options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        await addProofKey(context, context.db, id, 'next');
        const rows = await listProofKeys(context.db, id);
        showRows(io, command.optsWithGlobals(), rows.map(shown), '');
      }),
    );
}

function addRotate(keys: Command, io: Io): void {
  keys
    .command('rotate')
    .description('signs with the next key from now on; pages must pin it already')
    .option('--account <id>', 'default: the first account')
    .action((options: { account?: string }, command: Command) =>
      withContext(io, async (context) => {
        const { id } = await accountOf(context, options.account);
        await rotateProofKey(context, id).catch((error: unknown) => {
          if (!(error instanceof ServiceError)) throw error;
          throw new UsageError(`${error.message} Make one with: proof-keys next`);
        });
        const rows = await listProofKeys(context.db, id);
        showRows(io, command.optsWithGlobals(), rows.map(shown), '');
      }),
    );
}

const shown = ({ state, public_key, kid, created_at }: ProofKeyRow) => ({
  state,
  public_key,
  kid,
  created_at,
});
