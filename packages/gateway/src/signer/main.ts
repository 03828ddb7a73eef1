#!/usr/bin/env node
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ConfigError } from '@crypto-checkout/chains/error';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { publicKeysText } from '@crypto-checkout/chains/public-keys-file';
import { readJsonFile, readNamedFile } from '@crypto-checkout/chains/read-file';
import { Command, Option } from 'commander';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { approve, createApproverKey } from './approval.ts';
import { describeTransaction } from './describe.ts';
import { folderPolicy, keepNetwork, seedOf, type FolderOptions } from './folder.ts';
import { readUnsigned, signOffline } from './offline.ts';
import { serve } from './serve.ts';
import { openSignedLog } from './signed-log.ts';

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
      const seed = seedOf(options);
      keepNetwork(options.dir, network.data);
      const keys = publicKeysOf(seed, { network: network.data });
      process.stdout.write(await publicKeysText(keys, solanaKeys));
    });
  withFolder(program.command('serve'))
    .description('signs for the service, by policy.json in the folder')
    .requiredOption('--socket <path>', 'Unix socket to listen on')
    .addOption(new Option('--lnd-url <url>', 'LND node that pays over lightning').env('LND_URL'))
    .addOption(new Option('--lnd-cert <file>', "the node's tls.cert").env('LND_CERT'))
    .addOption(
      new Option('--lnd-macaroon <macaroon>', 'macaroon that pays: hex digits, or a file').env(
        'LND_SEND_MACAROON',
      ),
    )
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

async function sign(file: string, options: FolderOptions & { yes?: boolean }): Promise<void> {
  const { dir } = options;
  if (!existsSync(join(dir, 'keys.json')))
    throw new ConfigError(`${dir} has no keys.json: make the keys with public-keys first.`);
  const { policy } = folderPolicy(dir);
  const text = readNamedFile('The file', file).toString('utf8');
  const requests = readUnsigned(file, text, policy);
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
  const { data: payout } = request.safeParse(readJsonFile('The request', file));
  if (payout === undefined)
    throw new ConfigError(
      `${file} is not the output of \`crypto-checkout-gateway payouts approval-request\`.`,
    );
  const { data: approver } = approverKey.safeParse(readJsonFile('The key', key));
  if (approver === undefined)
    throw new ConfigError(`${key} is not a file of \`crypto-checkout-signer approver-key\`.`);
  const seconds = Number(hours) * 3600;
  if (!(seconds > 0 && seconds <= 30 * 86_400))
    throw new ConfigError(`--hours must be above 0 and at most 720, not "${hours}".`);
  console.error(
    `Approved: ${payout.amount} ${payout.kind} on ${payout.chain} to ${payout.address}, fee at most ${fee}`,
  );
  const expiresAt = Math.floor(Date.now() / 1000 + seconds);
  const approval = approve({ ...payout, fee, expires_at: expiresAt }, approver);
  console.log(JSON.stringify(approval));
}

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  const isSentence = error instanceof ConfigError || error instanceof SigningRefusedError;
  console.error(isSentence ? error.message : error);
  process.exitCode = 1;
}
