import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Abi,
  type Address,
  type Hex,
  createWalletClient,
  defineChain,
  http,
  publicActions,
  testActions,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { freePort, until } from './stack.ts';

const require = createRequire(import.meta.url);
/** The standard mnemonic of test nodes; its coins exist nowhere else. */
const TEST_MNEMONIC = 'test test test test test test test test test test test junk';

interface Compiled {
  abi: Abi;
  bytecode: Hex;
}

/** Compiles the test tokens from source. */
function compile(): Record<'Dollar' | 'LookAlike', Compiled> {
  const solc = require('solc') as { compile(input: string): string };
  const content = readFileSync(new URL('./contracts/tokens.sol', import.meta.url), 'utf8');
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'tokens.sol': { content } },
        settings: {
          evmVersion: 'paris',
          outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
        },
      }),
    ),
  ) as {
    contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
    errors?: { severity: string; formattedMessage: string }[];
  };
  const wrong = output.errors?.find(({ severity }) => severity === 'error');
  if (wrong) throw new Error(wrong.formattedMessage);
  const of = (name: string): Compiled => {
    const contract = output.contracts?.['tokens.sol']?.[name];
    if (!contract) throw new Error(`no ${name}`);
    return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
  };
  return { Dollar: of('Dollar'), LookAlike: of('LookAlike') };
}

/** The program: `ANVIL`, or the one from the packages where it exists for this platform. */
export function anvilBinary(): string | null {
  if (process.env['ANVIL']) return process.env['ANVIL'];
  try {
    return require.resolve('@foundry-rs/anvil-linux-amd64/bin/anvil');
  } catch {
    return null;
  }
}

/**
 * A real Ethereum node that mines on demand, an independent wallet, a token with 6 decimals and its
 * look-alike.
 */
export interface Ethereum {
  url: string;
  dollar: Address;
  wallet: Wallet;
  mine(blocks?: number): Promise<void>;
  reorganise(depth: number): Promise<void>;
  sendEther(to: Address, value: bigint): Promise<Hex>;
  /** A signed payment that is not sent yet. */
  signEther(to: Address, value: bigint): Promise<Hex>;
  broadcast(raw: Hex): Promise<Hex>;
  sendDollars(to: Address, units: bigint): Promise<Hex>;
  sendLookAlike(to: Address, units: bigint): Promise<Hex>;
  stop(): Promise<void>;
}
type Wallet = ReturnType<typeof walletOf>;

const walletOf = (url: string) =>
  createWalletClient({
    account: mnemonicToAccount(TEST_MNEMONIC),
    chain: defineChain({
      id: 31_337,
      name: 'Test node',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    }),
    transport: http(url),
    pollingInterval: 50,
  })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' }));

export async function startEthereum(): Promise<Ethereum> {
  const binary = anvilBinary();
  if (!binary)
    throw new Error(
      'There is no Ethereum node for this platform among the packages; set ANVIL to the program.',
    );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const node: ChildProcess = spawn(binary, ['--port', String(port), '--no-mining', '--silent'], {
    stdio: 'ignore',
  });
  const wallet = walletOf(url);
  await until('the Ethereum node', () => wallet.getBlockNumber().then(() => true));
  const mine = (blocks = 1): Promise<void> => wallet.mine({ blocks });
  const compiled = compile();
  const deploy = async ({ abi, bytecode }: Compiled): Promise<Address> => {
    const hash = await wallet.deployContract({ abi, bytecode, gas: 2_000_000n });
    await mine();
    const { contractAddress } = await wallet.getTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('the contract was not deployed');
    return contractAddress;
  };
  const dollar = await deploy(compiled.Dollar);
  const lookAlike = await deploy(compiled.LookAlike);
  const transfer = (
    address: Address,
    { abi }: Compiled,
    to: Address,
    units: bigint,
  ): Promise<Hex> =>
    wallet.writeContract({
      address,
      abi,
      functionName: 'transfer',
      args: [to, units],
      gas: 200_000n,
    });
  return {
    url,
    dollar,
    wallet,
    mine,
    // Rebuilds the blocks without their transactions, one more so that the new branch wins.
    reorganise: async (depth) => {
      await wallet.request({ method: 'anvil_reorg' as never, params: [depth, []] as never });
    },
    sendEther: (to, value) => wallet.sendTransaction({ to, value, gas: 21_000n }),
    signEther: async (to, value) =>
      wallet.signTransaction(await wallet.prepareTransactionRequest({ to, value, gas: 21_000n })),
    broadcast: (raw) => wallet.sendRawTransaction({ serializedTransaction: raw }),
    sendDollars: (to, units) => transfer(dollar, compiled.Dollar, to, units),
    sendLookAlike: (to, units) => transfer(lookAlike, compiled.LookAlike, to, units),
    stop: async () => {
      const ended = new Promise((done) => node.once('exit', done));
      node.kill('SIGTERM');
      await ended;
    },
  };
}
