import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startElectrumShop, type ElectrumShop } from './support/lightning/electrum-shop.ts';
import { RECEIVING, SENDING } from './support/lightning/lnd-chain.ts';
import { PASSWORD, USER } from './support/litecoind.ts';

// A program: the nodes of a shop and a wallet that is not ours, for tests that only speak HTTP to
// the servers, and for trials. Its first line has the gateway's settings; each further line answers
// a command. With the name of a file, it also writes the settings there, for a shell to read.

interface Command {
  id?: number;
  name?: string;
  parameters?: object;
}
type Commands = Record<string, (parameters: never) => Promise<unknown>>;

const READS = fileURLToPath(new URL('support/lightning/electrum-reads.py', import.meta.url));

function settingsOf({ chain, server }: ElectrumShop, folder: string): Record<string, string> {
  const certificate = join(folder, 'tls.cert');
  writeFileSync(certificate, server.certificate());
  return {
    BTC_RPC_URL: chain.url,
    BTC_RPC_USER: USER,
    BTC_RPC_PASSWORD: PASSWORD,
    BTC_NETWORK: 'regtest',
    LND_URL: server.url,
    LND_CERT: certificate,
    LND_MACAROON: server.bakery.bake(RECEIVING),
    LND_SEND_MACAROON: server.bakery.bake(SENDING),
  };
}

const commandsOf = ({ electrum, server, mine }: ElectrumShop) => ({
  /** A call of Electrum's JSON-RPC. */
  electrum: ({ method, parameters }: { method: string; parameters: object }) =>
    electrum.call(method, parameters),
  /** The parts that Electrum finds in a scanned text. */
  async read({ text }: { text: string }): Promise<unknown> {
    const { stdout } = await promisify(execFile)('/usr/bin/python3', [READS, text]);
    return JSON.parse(stdout);
  },
  mine: ({ blocks }: { blocks: number }) => mine(blocks),
  settledAt: async () => settledAt,
  /** The state of an invoice of the lightning node. */
  stateOf: async ({ request }: { request: string }) =>
    [...server.book.invoices.values()].find((invoice) => invoice.request === request)?.state,
  /** Answers of the lightning node that LND would not give. */
  violations: async () => server.violations,
});

// The standard output has the answers alone: LDK writes a greeting, which goes elsewhere.
console.log = console.error;
const shop = await startElectrumShop();
/** The time at which the lightning node settled its last payment. */
let settledAt = 0;
shop.server.book.watchers.add(({ state }) => {
  if (state === 'SETTLED') settledAt = Date.now();
});
const folder = mkdtempSync(join(tmpdir(), 'nodes-'));
const commands: Commands = commandsOf(shop);
const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** @throws Error for a name that is no command */
function run({ name = '', parameters = {} }: Command): Promise<unknown> {
  if (!Object.hasOwn(commands, name))
    throw new Error(`No such command: "${name}". There are ${Object.keys(commands).join(', ')}`);
  return commands[name]!(parameters as never);
}

/** Answers each line, also one that a person mistyped: the nodes must live on. */
async function answer(line: string): Promise<void> {
  let id: number | null = null;
  try {
    const command = JSON.parse(line) as Command;
    id = command.id ?? null;
    write({ id, result: (await run(command)) ?? null });
  } catch (error) {
    write({ id, error: String(error) });
  }
}

const settings = settingsOf(shop, folder);
const [, , file] = process.argv;
if (file !== undefined)
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `export ${name}='${value}'\n`)
      .join(''),
    { mode: 0o600 },
  );
write({ settings });

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void answer(line));
process.once('SIGINT', () => lines.close());
// The parent closes the input when it ends, however it ends.
lines.on('close', () => {
  rmSync(folder, { recursive: true, force: true });
  void shop.stop().then(() => process.exit(0));
});
