import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check, hex } from '@scure/base';
import { p2wpkh, Transaction } from '@scure/btc-signer';
import { parseAmount, toUnits, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter, DepositTarget } from '../../src/adapter.ts';
import { coinOf, createBitcoinAdapter } from '../../src/bitcoin/adapter.ts';
import { addressOfScript, bitcoinAddress, scriptOf } from '../../src/bitcoin/address.ts';
import { bitcoinNetwork, type UtxoChainId } from '../../src/bitcoin/network.ts';
import { createBitcoinNode } from '../../src/bitcoin/node.ts';
import type { OwnKey } from '../../src/bitcoin/send/own-key.ts';
import { createBitcoinSendNode } from '../../src/bitcoin/send/send-node.ts';
import { createBitcoinSender } from '../../src/bitcoin/send/sender.ts';
import type { BitcoinWallet } from '../../src/bitcoin/send/wallet.ts';
import { setUpBitcoin } from '../../src/bitcoin/setup.ts';
import type { ChainSender } from '../../src/sender.ts';
import { createJsonRpc } from '../../src/json-rpc.ts';
import { publicKeysOf } from '../../src/keys.ts';
import type { ContractChain, NodeFault } from '../contract.ts';
import { startRpcProxy, type ChangeAnswer, type RpcAnswer, type RpcCall } from './rpc-proxy.ts';
import { PASSWORD, startLitecoind, USER, type Litecoind } from './litecoind.ts';

// Published test words without funds.
export const words =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const seed = mnemonicToSeedSync(words);
export const keys = publicKeysOf(seed, { network: 'testnet' });
/** A private key of Bitcoin's account with this purpose (BIP 49, BIP 84), as wallets import it. */
export function wifAt({ branch, index }: OwnKey, purpose = 84): string {
  const path = `m/${purpose}'/1'/0'/${branch}/${index}`;
  const { privateKey } = HDKey.fromMasterSeed(seed).derive(path);
  const bytes = Uint8Array.from([LITECOIN_REGTEST.wif, ...privateKey!, 1]);
  return createBase58check(sha256).encode(bytes);
}

/** The addresses that the test node reads and shows. */
const LITECOIN_REGTEST = { bech32: 'rltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef };
const DECIMALS = 8;
const FEE = 2_000n;
/** Coinbase outputs that payments are made from. Each holds 50 coins. */
const FUNDS = 149;
const MATURITY = 100;
const EXPIRY_SECONDS = 3_601;

interface Coin {
  txid: string;
  index: number;
  units: bigint;
}

/** One node for many cases, with a wallet that pays. */
export interface BitcoinPayer {
  node: Litecoind;
  /** Signs and broadcasts a transaction with these outputs. */
  send(outputs: readonly Payable[], options?: SendOptions): Promise<string>;
  /** Bytes of a transaction that was sent. */
  raw(txid: string): string;
  inputOf(txid: string): Coin;
  /** Sends a child that pays this fee from the change of a transaction. */
  spendChange(txid: string, fee: bigint): Promise<string>;
  mine(blocks: number): Promise<void>;
  /** Moves the clock of the node. */
  advance(ms: number): Promise<void>;
  /** Empties the mempool. */
  expire(): Promise<void>;
  nextIndex(): number;
  stop(): Promise<void>;
}

export interface Payable {
  script: Uint8Array;
  units: bigint;
}

export interface SendOptions {
  from?: Coin;
  fee?: bigint;
  sequence?: number;
}

const randomKey = (): HDKey =>
  HDKey.fromMasterSeed(globalThis.crypto.getRandomValues(new Uint8Array(32)));
const payTo = ({ publicKey }: HDKey) => p2wpkh(publicKey!, LITECOIN_REGTEST);

/** The script of a new address that belongs to nobody. */
export const strangeScript = (): Uint8Array => payTo(randomKey()).script;

/** Starts a node whose wallet has coins. */
export async function startBitcoinPayer(
  options: readonly string[] = ['-dustrelayfee=0'],
): Promise<BitcoinPayer> {
  const node = await startLitecoind({ options: ['-mempoolexpiry=1', ...options] });
  const wallet = randomKey();
  const own = payTo(wallet);
  let now = Math.floor(Date.now() / 1000);
  let nextIndex = 0;
  const sent = new Map<string, { raw: string; from: Coin; change: Coin }>();
  await node.call('setmocktime', now);
  const hashes = await node.call<string[]>('generatetoaddress', FUNDS, own.address);
  await node.call('generatetoaddress', MATURITY, payTo(randomKey()).address);
  const coins: Coin[] = [];
  for (const hash of hashes) {
    const { tx } = await node.call<{ tx: string[] }>('getblock', hash, 1);
    coins.push({ txid: tx[0]!, index: 0, units: 50n * 10n ** 8n });
  }

  async function send(
    outputs: readonly Payable[],
    { from = coins.shift(), fee = FEE, sequence = 0xffff_fffd }: SendOptions = {},
  ): Promise<string> {
    if (from === undefined) throw new Error('The wallet of the test has no coins left');
    const transaction = new Transaction({ allowUnknownOutputs: true });
    const witnessUtxo = { script: own.script, amount: from.units };
    transaction.addInput({ txid: from.txid, index: from.index, sequence, witnessUtxo });
    for (const { script, units } of outputs) transaction.addOutput({ script, amount: units });
    const change = from.units - fee - outputs.reduce((sum, { units }) => sum + units, 0n);
    transaction.addOutput({ script: own.script, amount: change });
    transaction.sign(wallet.privateKey!);
    transaction.finalize();
    const txid = await node.call<string>('sendrawtransaction', transaction.hex);
    const rest = { txid, index: outputs.length, units: change };
    sent.set(txid, { raw: transaction.hex, from, change: rest });
    return txid;
  }

  async function advance(ms: number): Promise<void> {
    now += Math.round(ms / 1000);
    await node.call('setmocktime', now);
  }

  return {
    node,
    send,
    raw: (txid) => sent.get(txid)!.raw,
    inputOf: (txid) => sent.get(txid)!.from,
    spendChange: (txid, fee) => send([], { from: sent.get(txid)!.change, fee }),
    async mine(blocks) {
      await node.call('generatetoaddress', blocks, payTo(randomKey()).address);
    },
    advance,
    async expire() {
      await advance(EXPIRY_SECONDS * 1000);
      // The node looks for expired transactions when a new one arrives.
      await send([]);
    },
    nextIndex: () => nextIndex++,
    stop: () => node.stop(),
  };
}

export interface BitcoinChain extends ContractChain {
  /** Of the proxy; it adds user and password. */
  url: string;
  payable(target: DepositTarget, amount: Amount): Payable;
  /** Changes the answers of the node from now on. */
  change(rule: ChangeAnswer): void;
  /** Opens an adapter over another HTTP client. */
  openWith(fetch: typeof globalThis.fetch): Promise<ChainAdapter>;
  /** A sender over the coins that the database lists. */
  openSender(store: Pick<BitcoinWallet, 'coins' | 'nextChange' | 'provesAmounts'>): ChainSender;
  /** Amount of the unspent outputs to an address, in blocks. */
  held(address: string): Promise<Amount>;
  /** A new address that belongs to nobody. */
  stranger(): string;
  /** Mines a block whose reward goes to a target. Returns its hash. */
  mineTo(target: DepositTarget): Promise<string>;
}

/** A UTXO chain on that node. A proxy stands in between; for Dogecoin it refuses newer calls. */
export async function openBitcoinChain(
  payer: BitcoinPayer,
  chain: UtxoChainId,
): Promise<BitcoinChain> {
  const { node } = payer;
  const login = { authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}` };
  const proxy = await startRpcProxy(node.url, login);
  const network = bitcoinNetwork(chain, 'regtest');
  const usual: ChangeAnswer = chain === 'dogecoin' ? asOldNode : (_, answer) => answer;
  const change = (rule: ChangeAnswer): void =>
    proxy.change((call, answer) => rule(call, usual(call, answer)));
  change((_, answer) => answer);
  let now = 0;
  const openWith = async (fetch: typeof globalThis.fetch): Promise<ChainAdapter> => {
    const rpc = createJsonRpc({ url: proxy.url, exactNumbers: true, fetch });
    const settings = {
      url: 'RPC_URL',
      network: 'NETWORK',
      user: 'RPC_USER',
      password: 'RPC_PASSWORD',
      cookie: 'RPC_COOKIE',
    };
    const setup = await setUpBitcoin({ network, node: createBitcoinNode(rpc), settings });
    return createBitcoinAdapter({ rpc, setup, keys, now: () => now });
  };
  const open = (): Promise<ChainAdapter> => openWith(globalThis.fetch);
  const payable = ({ address }: DepositTarget, amount: Amount): Payable => ({
    script: scriptOf(network.versions, address!),
    units: toUnits(amount, DECIMALS),
  });
  return {
    url: proxy.url,
    payable,
    change,
    openWith,
    async mineTo(target) {
      const address = addressOfScript(LITECOIN_REGTEST, asHex(payable(target, 0n).script));
      const [hash] = await node.call<string[]>('generatetoaddress', 1, address);
      return hash!;
    },
    openSender: (store) =>
      createBitcoinSender({
        ...store,
        network,
        keys,
        node: createBitcoinSendNode(createJsonRpc({ url: proxy.url, exactNumbers: true }), chain),
        minConfirmations: 1,
      }),
    stranger: () =>
      bitcoinAddress(
        network.versions,
        chain === 'dogecoin' ? 'p2pkh' : 'bech32',
        randomKey().publicKey!,
      ),
    async held(address) {
      const descriptor = `raw(${asHex(scriptOf(network.versions, address))})`;
      const { total_amount: total } = await node.call<{ total_amount: number }>(
        'scantxoutset',
        'start',
        [descriptor],
      );
      return parseAmount(String(total));
    },
    asset: coinOf(chain),
    decimals: DECIMALS,
    open,
    async target() {
      const [kind = ''] = Object.keys(CHAINS[chain].coins);
      const index = payer.nextIndex();
      const options = { kind, index, amount: null, expirySeconds: 900, description: '', now: 0 };
      return (await open()).deriveTarget(options);
    },
    pay: (target, amount) => payer.send([payable(target, amount)]),
    payEach: (targets, amount) => payer.send(targets.map((target) => payable(target, amount))),
    payAndFail: () => Promise.reject(new Error('No block contains an invalid transaction')),
    mine: (blocks) => payer.mine(blocks),
    replace(txid, target) {
      const units = 10n ** BigInt(DECIMALS);
      const output =
        target === null ? { script: strangeScript(), units } : payable(target, 10n ** 18n);
      return payer.send([output], { from: payer.inputOf(txid), fee: 50n * FEE });
    },
    drop: () => payer.expire(),
    async reorganise(depth, kept) {
      const tip = await node.call<number>('getblockcount');
      await node.call('invalidateblock', await node.call('getblockhash', tip - depth + 1));
      await payer.expire();
      await payer.mine(depth);
      for (const txid of kept) await node.call('sendrawtransaction', payer.raw(txid));
    },
    async advance(ms) {
      now += ms;
      await payer.advance(ms);
    },
    async fault(fault) {
      const height = await node.call<number>('getblockcount');
      const hash = await node.call<string>('getbestblockhash');
      const mempool = await node.call<string[]>('getrawmempool');
      change(fault === null ? (_, answer) => answer : FAULTS[fault]({ height, hash, mempool }));
    },
    async openOther() {
      change(({ method }, answer) =>
        method === 'getblockchaininfo'
          ? { result: { ...(answer.result as object), chain: 'main' } }
          : answer,
      );
      return open();
    },
    close: () => proxy.stop(),
  };
}

/** Dogecoin Core 1.14 has the calls of Bitcoin Core 0.14. */
const NEWER_CALLS = /^(?:testmempoolaccept|.*psbt|getnetworkhashps2|gettxspendingprevout)$/;

function asOldNode({ method, params }: RpcCall, answer: RpcAnswer): RpcAnswer {
  if (NEWER_CALLS.test(method)) return { error: { code: -32_601, message: 'Method not found' } };
  if (method === 'getblock' && typeof params[1] === 'number')
    return { error: { code: -1, message: 'JSON value is not a boolean as expected' } };
  if (method === 'getblock' && params[1] === false && typeof answer.result === 'string')
    return { result: withAuxiliaryProof(answer.result) };
  if (method === 'estimatesmartfee' && (answer.result as { errors?: unknown })?.errors)
    return { result: { feerate: -1, blocks: params[0] } };
  if (method === 'getmempoolinfo' && answer.result) {
    const { size, bytes, usage, maxmempool } = answer.result as Record<string, number>;
    return { result: { size, bytes, usage, maxmempool, mempoolminfee: 0 } };
  }
  if (method === 'getmempoolentry' && answer.result) {
    const { vsize, fees, ...rest } = answer.result as { vsize: number; fees: { base: number } };
    return { result: { ...rest, size: vsize, fee: fees.base } };
  }
  return answer;
}

/**
 * A block as merged mining makes it: a bit of the version, and behind the header the other chain's
 * coinbase transaction, block hash, two branches of a Merkle tree and header.
 */
function withAuxiliaryProof(block: string): string {
  const [version, rest] = [block.slice(0, 8), block.slice(8, 160)];
  const input = `${'00'.repeat(32)}ffffffff0151ffffffff`;
  const coinbase = `0100000001${input}010000000000000000016a00000000`;
  const branches = `01${'aa'.repeat(32)}000000000000000000`;
  const proof = coinbase + 'bb'.repeat(32) + branches + 'cc'.repeat(80);
  return `${version.slice(0, 2)}01${version.slice(4)}${rest}${proof}${block.slice(160)}`;
}

interface Frozen {
  height: number;
  hash: string;
  mempool: readonly string[];
}

const FAULTS: Readonly<Record<NodeFault, (frozen: Frozen) => ChangeAnswer>> = {
  /** Answers as at this block: nothing of a later one is known. */
  behind:
    ({ height, hash, mempool }) =>
    ({ method, params }, answer) => {
      if (method === 'getbestblockhash') return { result: hash };
      if (method === 'getrawmempool') return { result: mempool };
      if (method === 'getblockhash' && Number(params[0]) > height)
        return { error: { code: -8, message: 'Block height out of range' } };
      return answer;
    },
  silent: () => () => {
    throw new Error('The node is silent');
  },
  empty:
    () =>
    ({ method }, answer) =>
      method.startsWith('get') ? { result: null } : answer,
};

const asHex = (bytes: Uint8Array): string => hex.encode(bytes);
