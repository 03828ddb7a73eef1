#!/usr/bin/env node
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { pino } from 'pino';
import { createContext } from '../compose.ts';
import { type Config, loadConfig } from '../config.ts';
import type { Io } from './io.ts';
import { createProgram } from './program.ts';
import { sentenceFor } from './sentence.ts';
import { requireServiceFolder } from './service-folder.ts';

const io: Io = {
  config: () => loadConfig({ ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error' }),
  async open() {
    const config = atItsAddress(io.config());
    requireServiceFolder(config);
    const log = pino(
      { level: config.logLevel, base: { service: 'command line' } },
      pino.destination(2),
    );
    const { context, abandon } = await createContext(config, log, { beside: true });
    return { context, close: abandon };
  },
  input: () => readFileSync(process.stdin.fd),
  isTerminal: process.stdout.isTTY,
  out: (line) => console.log(line),
  note: (line) => console.error(line),
  progress(line) {
    if (process.stderr.isTTY)
      process.stderr.write(line === null ? '\r\u001b[K' : `\r\u001b[K${line}`);
  },
  async resolve(host) {
    const found = await lookup(host, { all: true }).catch(() => []);
    return found.map(({ address }) => address);
  },
};

/** The service's own address, unless a setting overrides it. */
function atItsAddress(config: Config): Config {
  if (config.gatewayUrl !== null) return config;
  try {
    const { gateway_url: gatewayUrl } = JSON.parse(
      readFileSync(join(config.dataDir, 'credentials.json'), 'utf8'),
    ) as {
      gateway_url?: string;
    };
    return { ...config, gatewayUrl: gatewayUrl ?? null };
  } catch {
    return config;
  }
}

/** One sentence for a mistake that a user can correct, the stack for a bug. */
function codeFor(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  const sentence = sentenceFor(error);
  if (sentence === null) console.error(error);
  else io.note(sentence);
  return 1;
}

try {
  await createProgram(io).parseAsync(process.argv);
} catch (error) {
  process.exitCode = codeFor(error);
}
