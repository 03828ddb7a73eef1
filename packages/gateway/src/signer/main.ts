#!/usr/bin/env node
import { ConfigError } from '@crypto-checkout/chains/error';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { createSignerProgram } from './program.ts';

try {
  await createSignerProgram().parseAsync(process.argv);
} catch (error) {
  console.error(sentenceOf(error) ?? error);
  process.exitCode = 1;
}

/** Null for a bug, which is shown in full. */
function sentenceOf(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof SigningRefusedError) return error.message;
  // A system error, such as "EACCES: permission denied, open '/root/approver.json'".
  return error instanceof Error && 'syscall' in error ? `${error.message}.` : null;
}
