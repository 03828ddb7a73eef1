import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { discardUnsigned, listUnsigned, saveSignature } from '../../engine/unsigned.ts';
import { signedFile, UNSIGNED_VERSION } from '../../signer/unsigned-file.ts';
import { asTyped } from '../as-typed.ts';
import { type Io, UsageError, withContext } from '../io.ts';

export function addUnsigned(program: Command, io: Io): void {
  const unsigned = program
    .command('unsigned')
    .description('transactions that wait for a signature from another machine (KEYS_MODE=watch)');

  unsigned
    .command('export')
    .description('prints them as a file for `crypto-checkout-signer sign`')
    .action(() =>
      withContext(io, async ({ db, network }) => {
        const transactions = await listUnsigned(db);
        io.out(JSON.stringify({ version: UNSIGNED_VERSION, network, transactions }, null, 2));
        io.note(`${transactions.length} transactions wait for a signature.`);
      }),
    );

  unsigned
    .command('import')
    .description('stores the signatures that `crypto-checkout-signer sign` printed')
    .argument('<file>', 'file with them')
    .action((file: string) =>
      withContext(io, async ({ db }) => {
        const { signed } = readSigned(file);
        for (const { id, ...transaction } of signed) {
          const stored = await saveSignature(db, id, transaction).catch(asTyped);
          io.note(`${id}: ${stored === 'stored' ? 'stored' : 'was stored before'}`);
        }
        io.note('The service sends them within a minute.');
      }),
    );

  unsigned
    .command('discard')
    .description(
      'forgets a transaction that was never signed; it is planned anew, unless its payout is rejected',
    )
    .argument('<id>', 'id of the transaction, as in the export')
    .requiredOption('--never-signed', 'no signature of it exists: with one, it could be paid twice')
    .action((id: string) =>
      withContext(io, async ({ db }) => {
        await discardUnsigned(db, id).catch(asTyped);
        io.note(`${id}: discarded`);
      }),
    );
}

function readSigned(file: string) {
  try {
    return signedFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new UsageError(`${file} must be the output of crypto-checkout-signer sign.`, { cause });
  }
}
