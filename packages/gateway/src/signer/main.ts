#!/usr/bin/env node
import { ConfigError } from '@crypto-checkout/chains/error';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { createSignerProgram } from './program.ts';

try {
  await createSignerProgram().parseAsync(process.argv);
} catch (error) {
  const isSentence = error instanceof ConfigError || error instanceof SigningRefusedError;
  console.error(isSentence ? error.message : error);
  process.exitCode = 1;
}
