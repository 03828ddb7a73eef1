import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import {
  type Abi,
  type Address,
  createTestClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  publicActions,
  toHex,
  walletActions,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { freePort } from './free-port.ts';

const require = createRequire(import.meta.url);

export interface Anvil {
  url: string;
  /** A funded wallet by viem, an independent implementation, with control of the node. */
  wallet: ReturnType<typeof testWallet>;
  stop(): Promise<void>;
}

export interface Contract {
  abi: Abi;
  bytecode: Hex;
}

/**
 * Starts an Ethereum node with an empty chain on a free loopback port. Blocks are mined on demand.
 */
export async function startAnvil(...options: string[]): Promise<Anvil> {
  const port = await freePort();
  const child = spawn(
    binary(),
    ['--host', '127.0.0.1', '--port', String(port), '--no-mining', '--silent', ...options],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const wallet = testWallet(url);
  for (let waited = 0; ; waited += 20) {
    if (await wallet.getChainId().catch(() => null)) break;
    if (waited > 20_000 || child.exitCode !== null) throw new Error('anvil did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    wallet,
    async stop() {
      child.kill();
      await ended;
    },
  };
}

/** The contracts of `contracts/payments.sol` by name. */
export function compileContracts(): Record<string, Contract> {
  const compiler = require('solc') as { compile(input: string): string };
  const content = readFileSync(new URL('../contracts/payments.sol', import.meta.url), 'utf8');
  const output = JSON.parse(
    compiler.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'payments.sol': { content } },
        settings: {
          optimizer: { enabled: true, runs: 1 },
          outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
        },
      }),
    ),
  ) as {
    errors?: { severity: string; formattedMessage: string }[];
    contracts: Record<string, Record<string, Compiled>>;
  };
  const failed = output.errors?.find(({ severity }) => severity === 'error');
  if (failed !== undefined) throw new Error(failed.formattedMessage);
  const contracts = Object.entries(output.contracts['payments.sol'] ?? {});
  return Object.fromEntries(
    contracts.map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` as const },
    ]),
  );
}

/** Storage slots of `Token`: its symbol, its decimals, and a holder's balance. */
export const SYMBOL_SLOT = toHex(1n, { size: 32 });
export const DECIMALS_SLOT = toHex(2n, { size: 32 });
export const balanceSlot = (holder: Address): Hex =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [holder, 4n]));

/** A string of up to 31 bytes in a slot (Solidity, "Layout of State Variables in Storage"). */
export const storedText = (text: string): Hex => {
  const bytes = Buffer.alloc(32);
  bytes[31] = 2 * bytes.write(text);
  return toHex(bytes);
};

/** @returns the contract's address */
export async function deploy({ wallet }: Anvil, { abi, bytecode }: Contract): Promise<Address> {
  const hash = await wallet.deployContract({ abi, bytecode, chain: null });
  await wallet.mine({ blocks: 1 });
  return (await wallet.getTransactionReceipt({ hash })).contractAddress!;
}

interface Compiled {
  abi: Abi;
  evm: { bytecode: { object: string } };
}

/** Starts a proxy that rejects some methods, as public providers do. */
export async function withoutMethods(
  url: string,
  refused: RegExp,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: number;
        method: string;
      }[];
      const passOn = async (): Promise<void> => {
        const answers = await answer(url, calls, refused);
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answers));
      };
      void passOn();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => closed(server) };
}

async function answer(
  url: string,
  calls: { id: number; method: string }[],
  refused: RegExp,
): Promise<unknown[]> {
  const passed = calls.filter(({ method }) => !refused.test(method));
  const headers = { 'content-type': 'application/json' };
  const answers =
    passed.length === 0
      ? []
      : await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(passed) })).json();
  const error = { code: -32601, message: 'the method does not exist/is not available' };
  return [
    ...(answers as unknown[]),
    ...calls
      .filter(({ method }) => refused.test(method))
      .map(({ id }) => ({ jsonrpc: '2.0', id, error })),
  ];
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

function testWallet(url: string) {
  // Anvil's published development mnemonic, whose accounts it funds.
  const account = mnemonicToAccount('test test test test test test test test test test test junk');
  return createTestClient({
    account,
    chain: foundry,
    mode: 'anvil',
    transport: http(url),
    cacheTime: 0,
    pollingInterval: 20,
  })
    .extend(publicActions)
    .extend(walletActions);
}

function binary(): string {
  // npm provides the binary for Linux on x64. Elsewhere `ANVIL` is its path.
  if (process.env['ANVIL']) return process.env['ANVIL'];
  try {
    return require.resolve('@foundry-rs/anvil-linux-amd64/bin/anvil');
  } catch {
    throw new Error(
      `npm has no anvil for ${process.platform} on ${process.arch}; ` +
        'install Foundry and set ANVIL to the path of anvil.',
    );
  }
}
