#!/usr/bin/env node
import { fstatSync } from 'node:fs';
import { ConfigError } from '@crypto-checkout/chains/error';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { createSignerProgram } from './program.ts';

try {
  await createSignerProgram().parseAsync(process.argv);
} catch (error) {
  console.error(sentenceOf(error) ?? error);
  if (isEmptyFile()) console.error('The file that the output goes to is empty; it is of no use.');
  process.exitCode = 1;
}

/** The shell makes the file of `> file` before the command runs. */
function isEmptyFile(): boolean {
  const output = fstatSync(1);
  return output.isFile() && output.size === 0;
}

/** Null for a bug, which is shown in full. */
function sentenceOf(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof SigningRefusedError) return error.message;
  // A system error, such as "EACCES: permission denied, open '/root/approver.json'".
  return error instanceof Error && 'syscall' in error ? `${error.message}.` : null;
}
