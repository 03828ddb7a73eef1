import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProgram } from '../src/cli/program.ts';
import { SIGN_IN_SHELL } from '../src/openapi/curl.ts';
import { type Running, startService } from './support/running-gateway.ts';

const flows = readFileSync(new URL('../../../docs/flows.md', import.meta.url), 'utf8');
const blocks = [...flows.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
let service: Running;
let shop: Server;

beforeAll(async () => {
  shop = createServer((request, response) => {
    if (request.url !== '/command') {
      response.end('ok');
      return;
    }
    let text = '';
    request.on('data', (data) => (text += String(data)));
    request.on(
      'end',
      () => void command(text.trim().split('\n')).then((answer) => response.end(answer)),
    );
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const { port } = shop.address() as AddressInfo;
  service = await startService({
    CALLBACK_URL: `http://127.0.0.1:${port}/`,
    OUTBOUND_ALLOW: `127.0.0.1/32:${port}`,
  });
});
afterAll(async () => {
  await service.close();
  shop.closeAllConnections();
  shop.close();
});

/**
 * Runs the operator's command line in this process: one start from its source takes longer than all
 * flows.
 */
async function command(words: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const open = async () => ({ context: service.context, close: async () => {} });
  const io = {
    config: () => service.context.config,
    open,
    out: (line: string) => void lines.push(line),
    note: () => {},
    input: () => Buffer.alloc(0),
    progress: () => {},
    resolve: async () => [],
  };
  await createProgram(io).parseAsync(['node', 'crypto-checkout-gateway', ...words]);
  return lines.join('\n');
}

/** A shell function `npm` that runs the command line, and one that checks a printed value. */
const PRELUDE = `
set -eu
npm() { shift 4; printf '%s\\n' "$@" | curl -sS "$COMMANDS" --data-binary @-; }
expect_value() { [ "$2" = "$1" ] || { echo "expected $1, got $2" >&2; exit 1; }; }
`;

/** Turns `command # → value` into a check that the command prints the value. */
const withChecks = (block: string): string =>
  block.replace(
    /^(.+) # → (.+)$/gm,
    (_, command: string, value: string) => `expect_value '${value}' "$( ${command} )"`,
  );

interface ScriptResult {
  code: number | null;
  output: string;
}

function run(script: string): Promise<ScriptResult> {
  const child = spawn('sh', ['-c', script], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: {
      ...process.env,
      DATA_DIR: service.dataDir,
      COMMANDS: `http://127.0.0.1:${(shop.address() as AddressInfo).port}/command`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => (output += String(data)));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

it('docs/flows.md runs as it is printed', { timeout: 60_000 }, async () => {
  expect(blocks.length).toBe(9);
  const { code, output } = await run([PRELUDE, ...blocks.map(withChecks)].join('\n'));
  expect(output).not.toContain('undefined');
  // A nanosecond nonce would block the shop's key for clients that count in milliseconds
  // (docs/interface.md, "Nonce").
  const keys = await service.context.db
    .selectFrom('api_key')
    .select(['name', 'last_nonce'])
    .where('name', 'in', ['API', 'Approve'])
    .execute();
  if (code !== 0) throw new Error(`The flows exited with code ${code}:\n${output}`);
  expect(keys.map(({ last_nonce }) => Number(last_nonce))).toEqual([0, 0]);
});

it('docs/flows.md checks printed values and signs like the reference', () => {
  expect(flows).toContain(SIGN_IN_SHELL);
  expect(flows.match(/# → /g)?.length).toBeGreaterThan(15);
  for (const heading of [
    'Accept a payment',
    'Credit a user',
    'Pay out, with an approval',
    'Exchange',
    'Pay out automatically',
    'integrator',
    'callback',
  ])
    expect(flows).toMatch(new RegExp(`^## .*${heading}`, 'm'));
});
