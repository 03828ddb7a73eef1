#!/usr/bin/env node
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ConfigError } from '@crypto-checkout/chains/error';
import { loadSeed, publicKeysOf } from '@crypto-checkout/chains/keys';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { publicKeysText } from '@crypto-checkout/chains/public-keys-file';
import { Command } from 'commander';
import { pino } from 'pino';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { approve, createApproverKey } from './approval.ts';
import { describeTransaction } from './describe.ts';
import { readUnsigned, signOffline } from './offline.ts';
import { readPolicy } from './policy.ts';
import { createSignerServer, listenOnSocket } from './server.ts';
import { openSignedLog } from './signed-log.ts';

interface FolderOptions {
  dir: string;
  passphraseFile?: string;
}

const seedOf = ({ dir, passphraseFile }: FolderOptions): Uint8Array =>
  loadSeed(dir, { mnemonic: undefined, passphraseFile: passphraseFile ?? null });

function createProgram(): Command {
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
    .action(async (options: FolderOptions & { network: string; solanaKeys: string }) => {
      const solanaKeys = Number(options.solanaKeys);
      if (!Number.isInteger(solanaKeys) || solanaKeys < 1 || solanaKeys > 100_000)
        throw new ConfigError(
          `--solana-keys must be a whole number from 1 to 100000, not "${options.solanaKeys}".`,
        );
      const network = z.enum(['mainnet', 'testnet']).safeParse(options.network);
      if (!network.success)
        throw new ConfigError(`--network must be mainnet or testnet, not "${options.network}".`);
      const keys = publicKeysOf(seedOf(options), { network: network.data });
      process.stdout.write(await publicKeysText(keys, solanaKeys));
    });
  withFolder(program.command('serve'))
    .description('signs for the service, by policy.json in the folder')
    .requiredOption('--socket <path>', 'Unix socket to listen on')
    .action(serve);
  withFolder(program.command('sign'))
    .description('signs what `crypto-checkout-gateway unsigned export` printed, after a look at it')
    .argument('<file>', 'the exported file')
    .option('--yes', 'signs without a question; for scripts')
    .action(sign);
  program
    .command('approver-key')
    .description('makes the key of an approver; its public half belongs into policy.json')
    .argument('<file>', 'new file for the key, mode 0600')
    .action((file: string) => {
      if (existsSync(file)) throw new ConfigError(`${file} exists already.`);
      const key = createApproverKey();
      writeFileSync(file, `${JSON.stringify(key, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      console.log(key.key);
    });
  program
    .command('approve')
    .description('approves a payout; prints the approval for the service')
    .argument('<request>', 'file with the answer of `payouts approval-request`')
    .requiredOption('--key <file>', 'the key of the approver')
    .requiredOption('--fee <amount>', "highest network fee, in the chain's coin")
    .option('--hours <number>', 'how long the approval is valid', '24')
    .action(approveRequest);
  return program;
}

const withFolder = (command: Command): Command =>
  command
    .requiredOption('--dir <folder>', 'folder of keys.json, policy.json and signed.log')
    .option('--passphrase-file <file>', 'file of the passphrase that seals keys.json');

async function serve(options: FolderOptions & { socket: string }): Promise<void> {
  const { dir, socket } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const log = pino({ base: { service: 'signer' } });
  const policy = readPolicy(join(dir, 'policy.json'));
  const seed = seedOf(options);
  const keys = publicKeysOf(seed, { network: policy.network });
  const signedLog = openSignedLog(join(dir, 'signed.log'));
  const server = createSignerServer({ seed, state: { policy, keys, log: signedLog }, log });
  await listenOnSocket(server, socket);
  log.info({ event: 'signer_started', socket, signed: signedLog.entries.length }, 'listening');
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      server.close(() => process.exit(0));
      server.closeIdleConnections();
    });
}

async function sign(file: string, options: FolderOptions & { yes?: boolean }): Promise<void> {
  const { dir } = options;
  if (!existsSync(join(dir, 'keys.json')))
    throw new ConfigError(`${dir} has no keys.json: make the keys with public-keys first.`);
  const policy = readPolicy(join(dir, 'policy.json'));
  const requests = readUnsigned(file, readFileSync(file, 'utf8'), policy);
  for (const request of requests) console.error(describeTransaction(request, policy));
  if (options.yes !== true && !(await isConfirmed(requests.length))) {
    console.error('Nothing was signed.');
    process.exitCode = 1;
    return;
  }
  const seed = seedOf(options);
  const keys = publicKeysOf(seed, { network: policy.network });
  const log = openSignedLog(join(dir, 'signed.log'));
  const state = { policy, keys, log, now: Date.now() };
  console.log(JSON.stringify(await signOffline(seed, requests, state), null, 2));
}

/** @throws ConfigError without a terminal to ask on */
async function isConfirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new ConfigError('There is no terminal to ask on: look at the list, then add --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Sign these ${count} transactions? Type yes: `);
  terminal.close();
  return answer.trim() === 'yes';
}

const request = z.object({
  network: z.enum(['mainnet', 'testnet']),
  chain: z.string(),
  kind: z.string(),
  id: z.string(),
  address: z.string(),
  tag: z.string().nullable(),
  amount: z.string(),
});
const approverKey = z.object({ key: z.string(), secret: z.string() });

function approveRequest(
  file: string,
  { key, fee, hours }: { key: string; fee: string; hours: string },
): void {
  const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8')) as unknown;
  const payout = request.parse(read(file));
  const seconds = Number(hours) * 3600;
  if (!(seconds > 0 && seconds <= 30 * 86_400))
    throw new ConfigError(`--hours must be above 0 and at most 720, not "${hours}".`);
  console.error(
    `Approved: ${payout.amount} ${payout.kind} on ${payout.chain} to ${payout.address}, fee at most ${fee}`,
  );
  const expiresAt = Math.floor(Date.now() / 1000 + seconds);
  const approval = approve({ ...payout, fee, expires_at: expiresAt }, approverKey.parse(read(key)));
  console.log(JSON.stringify(approval));
}

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  const isSentence = error instanceof ConfigError || error instanceof SigningRefusedError;
  console.error(isSentence ? error.message : error);
  process.exitCode = 1;
}
