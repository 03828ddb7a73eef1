import { join } from 'node:path';
import { ConfigError } from '@crypto-checkout/chains/error';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { publicKeysText } from '@crypto-checkout/chains/public-keys-file';
import { Command, Option } from 'commander';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { SIGNER_SETTINGS } from '../settings/keys.ts';
import { approvePayout, makeApproverKey } from './approve-payout.ts';
import { firstSeedOf, keepNetwork, requireKeyFile, type FolderOptions } from './folder.ts';
import { serve, type ServeOptions } from './serve.ts';
import { signFile } from './sign-file.ts';
import { beginSignedLog } from './signed-log.ts';

/** The commands of `crypto-checkout-signer`. */
export function createSignerProgram(): Command {
  const program = new Command('crypto-checkout-signer')
    .description(
      'Holds the private keys of a payment service, and signs what its policy allows or an approver signed.',
    )
    .version(manifest.version, '--version', 'prints the version')
    .showHelpAfterError('(see --help)');
  withFolder(program.command('public-keys'))
    .description('prints the public keys for PUBLIC_KEYS_FILE; the first run makes the keys')
    .requiredOption('--network <network>', 'mainnet or testnet')
    .option('--solana-keys <number>', 'one for each Solana invoice, up to 100000', '1000')
    .action(printPublicKeys);
  program
    .command('begin-log')
    .description('begins signed.log in a folder that has none; never after something was signed')
    .requiredOption('--dir <folder>', 'folder of keys.json and policy.json')
    .action(beginLog);
  addServe(program);
  withPolicy(withFolder(program.command('sign')))
    .description('signs what `crypto-checkout-gateway unsigned export` printed, after a look at it')
    .argument('<file>', 'the exported file')
    .option('--yes', 'signs without a question; for scripts')
    .action(signFile);
  program
    .command('approver-key')
    .description('makes the key of an approver; its public half belongs into policy.json')
    .argument('<file>', 'new file for the key, mode 0600')
    .action(makeApproverKey);
  program
    .command('approve')
    .description('approves a payout; prints the approval for the service')
    .argument('<request>', 'file with the answer of `payouts approval-request`')
    .requiredOption('--key <file>', 'the key of the approver')
    .requiredOption('--fee <amount>', "highest network fee, in the chain's coin")
    .option('--hours <number>', 'how long the approval is valid', '24')
    .action(approvePayout);
  return program;
}

function addServe(program: Command): void {
  withPolicy(withFolder(program.command('serve')))
    .description('signs for the service, on a Unix socket or over TLS with client certificates')
    .option('--socket <path>', 'Unix socket to listen on')
    .option('--listen <host:port>', 'address to listen on, with the three options below')
    .option('--cert <file>', "the signer's certificate, in PEM")
    .option('--cert-key <file>', 'the private key of that certificate')
    .option('--client-ca <file>', 'certificates that sign those of clients; no others are accepted')
    .addOption(new Option('--lnd-url <url>', 'LND node that pays over lightning').env('LND_URL'))
    .addOption(new Option('--lnd-cert <file>', "the node's tls.cert").env('LND_CERT'))
    .addOption(
      new Option('--lnd-macaroon <macaroon>', 'macaroon that pays: hex digits, or a file').env(
        'LND_SEND_MACAROON',
      ),
    )
    .addOption(
      new Option('--cln-url <url>', 'clnrest of a Core Lightning node, in its place').env(
        'CLN_URL',
      ),
    )
    .addOption(new Option('--cln-cert <file>', "clnrest's server.pem").env('CLN_CERT'))
    .addOption(
      new Option('--cln-rune <rune>', 'rune that pays: its text, or a file').env('CLN_SEND_RUNE'),
    )
    .action((options: ServeOptions) => serve(options));
}

const withFolder = (command: Command): Command =>
  command
    .requiredOption('--dir <folder>', 'folder of keys.json, policy.json and signed.log')
    .option('--passphrase-file <file>', 'file of the passphrase that seals keys.json');

const ENV: keyof typeof SIGNER_SETTINGS = 'SIGNER_POLICY';
const withPolicy = (command: Command): Command =>
  command.addOption(new Option('--policy <file>', SIGNER_SETTINGS.SIGNER_POLICY.meaning).env(ENV));

async function printPublicKeys(
  options: FolderOptions & { network: string; solanaKeys: string },
): Promise<void> {
  const solanaKeys = Number(options.solanaKeys);
  if (!Number.isInteger(solanaKeys) || solanaKeys < 1 || solanaKeys > 100_000)
    throw new ConfigError(
      `--solana-keys must be a whole number from 1 to 100000, not "${options.solanaKeys}".`,
    );
  const network = z.enum(['mainnet', 'testnet']).safeParse(options.network);
  if (!network.success)
    throw new ConfigError(`--network must be mainnet or testnet, not "${options.network}".`);
  const seed = firstSeedOf(options);
  keepNetwork(options.dir, network.data);
  const keys = publicKeysOf(seed, { network: network.data });
  process.stdout.write(await publicKeysText(keys, solanaKeys));
}

function beginLog({ dir }: FolderOptions): void {
  requireKeyFile(dir);
  const path = join(dir, 'signed.log');
  if (!beginSignedLog(path)) throw new ConfigError(`${path} exists, and is kept.`);
  console.error('signed.log begins now: limits and ids of earlier signatures are not counted.');
}
