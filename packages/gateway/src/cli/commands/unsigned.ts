import type { Command } from 'commander';
import { fromPsbt, toPsbt } from '@crypto-checkout/chains/bitcoin/psbt';
import { readPublicKeys } from '@crypto-checkout/chains/public-keys-file';
import { readNamedFile } from '@crypto-checkout/chains/read-file';
import type { SignedTransaction } from '@crypto-checkout/chains/sender';
import { discardUnsigned, listUnsigned, saveSignature } from '../../engine/sending/unsigned.ts';
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
        io.note(
          transactions.length === 1
            ? '1 transaction waits for a signature.'
            : `${transactions.length} transactions wait for a signature.`,
        );
      }),
    );

  unsigned
    .command('import')
    .description('stores the signatures that `crypto-checkout-signer sign` printed')
    .argument('<file>', 'file with them; - reads the standard input')
    .action((file: string) => {
      const { signed } = readSigned(io, file);
      return withContext(io, async ({ db }) => {
        for (const { id, ...transaction } of signed) {
          const stored = await saveSignature(db, id, transaction).catch(asTyped);
          io.note(`${id}: ${stored === 'stored' ? 'stored' : 'was stored before'}`);
        }
        io.note('The service sends them within a minute.');
      });
    });

  addPsbt(unsigned, io);

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

function addPsbt(unsigned: Command, io: Io): void {
  unsigned
    .command('psbt')
    .description(
      'prints a transaction of Bitcoin, Litecoin or Dogecoin for another wallet (BIP 174)',
    )
    .argument('<id>', 'id of the transaction, as in the export')
    .action((id: string) =>
      withContext(io, async ({ db, config: { publicKeysFile } }) => {
        if (publicKeysFile === null)
          throw new UsageError('unsigned psbt needs PUBLIC_KEYS_FILE, as KEYS_MODE=watch does.');
        const plan = (await listUnsigned(db)).find((one) => one.id === id)?.plan;
        if (plan?.family !== 'bitcoin')
          throw new UsageError(
            `No transaction ${id} of Bitcoin, Litecoin or Dogecoin waits for a signature.`,
          );
        io.out(toPsbt(plan, readPublicKeys(publicKeysFile)));
      }),
    );

  unsigned
    .command('import-psbt')
    .description('stores a transaction that another wallet signed')
    .argument('<id>', 'id of the transaction, as in the export')
    .argument('<file>', 'the signed PSBT, as bytes or in base64; - reads the standard input')
    .action((id: string, file: string) => {
      const signed = readPsbt(io, file);
      return withContext(io, async ({ db }) => {
        const stored = await saveSignature(db, id, signed).catch(asTyped);
        io.note(`${id}: ${stored === 'stored' ? 'stored' : 'was stored before'}`);
        io.note('The service sends it within a minute.');
      });
    });
}

/** BIP 174: a PSBT begins with these bytes. */
const PSBT_MAGIC = Buffer.from('psbt\u00FF', 'latin1');

function readPsbt(io: Io, file: string): SignedTransaction {
  const content = readInput(io, file);
  try {
    const isBinary = content.subarray(0, PSBT_MAGIC.length).equals(PSBT_MAGIC);
    return fromPsbt(isBinary ? content : Buffer.from(content.toString('utf8').trim(), 'base64'));
  } catch (cause) {
    throw new UsageError(`${file} must be a PSBT with a signature for each input.`, { cause });
  }
}

function readSigned(io: Io, file: string) {
  const content = readInput(io, file);
  try {
    return signedFile.parse(JSON.parse(content.toString('utf8')));
  } catch (cause) {
    throw new UsageError(`${file} must be the output of crypto-checkout-signer sign.`, { cause });
  }
}

/** The user and the folder of this command need not be those of the file: its content is enough. */
const readInput = (io: Io, file: string): Buffer =>
  file === '-' ? io.input() : readNamedFile('The file', file);
