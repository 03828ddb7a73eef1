import { existsSync, writeFileSync } from 'node:fs';
import { ConfigError } from '@crypto-checkout/chains/error';
import { readJsonFile } from '@crypto-checkout/chains/read-file';
import { z } from 'zod';
import { approve, approvedRecipient, createApproverKey } from './approval.ts';
import { quoted } from './describe.ts';
import { decimal } from './policy.ts';

const word = z.string().regex(/^[\w-]{1,128}$/);
/** Its words are printed for the approver, so they can hold nothing that a terminal obeys. */
const request = z.object({
  network: z.enum(['mainnet', 'testnet']),
  chain: word,
  kind: word,
  id: word,
  recipients: z
    .array(
      approvedRecipient.extend({
        address: z.string().regex(/^\w{1,100}$/),
        amount: decimal,
      }),
    )
    .min(1)
    .max(100),
});
const approverKey = z.object({ key: z.string(), secret: z.string() });

/**
 * Makes the key of an approver, and prints its public half.
 * @throws ConfigError when the file exists
 */
export function makeApproverKey(file: string): void {
  if (existsSync(file)) throw new ConfigError(`${file} exists already.`);
  const key = createApproverKey();
  writeFileSync(file, `${JSON.stringify(key, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  console.log(key.key);
}

/**
 * Shows a payout in words, and prints the approval of it.
 * @throws ConfigError with one sentence
 */
export function approvePayout(
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
  if (!decimal.safeParse(fee).success)
    throw new ConfigError(`--fee must be a decimal string such as 0.01, not "${fee}".`);
  const seconds = Number(hours) * 3600;
  if (!(seconds > 0 && seconds <= 30 * 86_400))
    throw new ConfigError(`--hours must be above 0 and at most 720, not "${hours}".`);
  const expiresAt = Math.floor(Date.now() / 1000 + seconds);
  const approval = approve({ ...payout, fee, expires_at: expiresAt }, approver);
  for (const { amount, address, tag } of payout.recipients)
    console.error(
      `Approved: ${amount} ${payout.kind} on ${payout.chain} to ${address}${tag === null ? '' : `, with the tag or memo ${quoted(tag)}`}`,
    );
  console.error(`The network fee is at most ${fee}.`);
  console.log(JSON.stringify(approval));
}
