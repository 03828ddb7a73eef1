import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ConfigError } from '@crypto-checkout/chains/error';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import { readNamedFile } from '@crypto-checkout/chains/read-file';
import { describeTransaction } from './describe.ts';
import { folderPolicy, requireKeyFile, seedOf, type PolicyOptions } from './folder.ts';
import { readUnsigned, signOffline } from './offline.ts';
import { openSignedLog } from './signed-log.ts';

/**
 * Shows the transactions of a file in words, asks, and prints their signatures.
 * @throws ConfigError with one sentence
 */
export async function signFile(
  file: string,
  options: PolicyOptions & { yes?: boolean },
): Promise<void> {
  const { dir } = options;
  requireKeyFile(dir);
  const { policy } = folderPolicy(options);
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
