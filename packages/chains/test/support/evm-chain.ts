import { mnemonicToSeedSync } from '@scure/bip39';
import { fromUnits, toUnits, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type EvmChainId } from '@crypto-checkout/protocol/kind';
import { encodeFunctionData, type Address, type Hex, parseGwei, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import type { ChainAdapter, DepositTarget } from '../../src/adapter.ts';
import { createEvmAdapter } from '../../src/evm/adapter.ts';
import { createEvmNode } from '../../src/evm/node.ts';
import { createEvmSendNode } from '../../src/evm/send/send-node.ts';
import { createEvmSender, evmSendingAddress } from '../../src/evm/sender.ts';
import { setUpEvm, type EvmSetup } from '../../src/evm/setup.ts';
import { createJsonRpc } from '../../src/json-rpc.ts';
import { publicKeysOf } from '../../src/keys.ts';
import type { ChainSender } from '../../src/sender.ts';
import type { ContractChain, NodeFault } from '../contract.ts';
import {
  balanceSlot,
  compileContracts,
  DECIMALS_SLOT,
  deploy,
  startAnvil,
  storedText,
  SYMBOL_SLOT,
} from './anvil.ts';
import { startRpcProxy, type ChangeAnswer } from './rpc-proxy.ts';

// Published test words without funds.
const words =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const keys = publicKeysOf(mnemonicToSeedSync(words), { network: 'testnet' });
const contracts = compileContracts();
/** More than any case pays. */
const FUNDS = 10n ** 36n;
/** A contract that reverts every payment. */
const REVERTS: Hex = '0x60006000fd';
const ANY_CHAIN_ID = 424_242;

/** A transaction that was broadcast. Each comes from an account of its own. */
interface Broadcast {
  from: PrivateKeyAccount;
  to: Address;
  raw: Hex;
}

/** With what the second half of the contract needs: a sender, and the chain's own balances. */
export interface EvmContractChain extends ContractChain {
  /** A sender whose address has coin for its fees. */
  openSender(): Promise<ChainSender>;
  /** Sets the chain's balance of the sender's address, in the asset of the cases. */
  fund(amount: Amount): Promise<void>;
  held(address: string): Promise<Amount>;
}

/**
 * Starts anvil as one EVM chain; payments are made in its coin or in a token at the listed place.
 */
export async function startEvmChain(
  chain: EvmChainId,
  kindName: string,
  network: 'mainnet' | 'testnet' = 'mainnet',
): Promise<EvmContractChain> {
  const { asset, symbol, decimals, token: isToken } = kindOf(kindName)!;
  const { evmChainId, testEvmChainId } = CHAINS[chain];
  const chainId = (network === 'mainnet' ? evmChainId : testEvmChainId)!;
  const anvil = await startAnvil('--chain-id', String(chainId));
  const proxy = await startRpcProxy(anvil.url);
  const token = isToken ? await deploy(anvil, contracts['Token']!) : null;
  const { wallet } = anvil;
  if (token !== null) {
    const store = (index: Hex, value: Hex): Promise<void> =>
      wallet.setStorageAt({ address: token, index, value });
    await store(DECIMALS_SLOT, toHex(decimals, { size: 32 }));
    await store(SYMBOL_SLOT, storedText(symbol));
  }
  const broadcasts = new Map<string, Broadcast>();
  let now = 0;
  let nextIndex = 0;

  const rpc = createJsonRpc({ url: proxy.url });
  const node = createEvmNode(rpc);
  const setUp = (): Promise<EvmSetup> =>
    setUpEvm({
      chain,
      node,
      tokens: token === null ? {} : { [kindName]: token },
      settings: { url: 'RPC_URL', headers: 'RPC_HEADERS', tokens: 'TOKENS' },
    });
  const open = async (): Promise<ChainAdapter> =>
    createEvmAdapter({ chain, node, setup: await setUp(), keys, now: () => now });
  const setTokens = (holder: Address, units: bigint): Promise<void> =>
    wallet.setStorageAt({
      address: token!,
      index: balanceSlot(holder),
      value: toHex(units, { size: 32 }),
    });

  async function fundedAccount(): Promise<PrivateKeyAccount> {
    const account = privateKeyToAccount(generatePrivateKey());
    await wallet.setBalance({ address: account.address, value: FUNDS });
    if (token !== null) await setTokens(account.address, FUNDS);
    return account;
  }

  async function send(
    from: PrivateKeyAccount,
    call: { to: Address; value?: bigint; data?: Hex },
    gwei = '10',
  ): Promise<string> {
    const fee = parseGwei(gwei);
    const raw = await from.signTransaction({
      ...call,
      type: 'eip1559',
      chainId,
      nonce: 0,
      gas: 500_000n,
      maxFeePerGas: fee,
      maxPriorityFeePerGas: fee,
    });
    const txid = await wallet.sendRawTransaction({ serializedTransaction: raw });
    broadcasts.set(txid, { from, to: call.to, raw });
    return txid;
  }

  function payment(target: DepositTarget, units: bigint) {
    const to = target.address as Address;
    return token === null
      ? { to, value: units }
      : { to: token, data: tokenCall('transfer', [to, units]) };
  }

  return {
    asset,
    decimals,
    open,
    async target() {
      const adapter = await open();
      return adapter.deriveTarget({
        kind: kindName,
        index: nextIndex++,
        amount: null,
        expirySeconds: 900,
        description: '',
        now: 0,
      });
    },
    pay: async (target, amount) =>
      send(await fundedAccount(), payment(target, toUnits(amount, decimals))),
    async payEach(targets, amount) {
      if (token === null) throw new Error('A transaction pays the coin to one address');
      const to = targets.map(({ address }) => address);
      const data = tokenCall('transferToAll', [to, toUnits(amount, decimals)]);
      return send(await fundedAccount(), { to: token, data });
    },
    async payAndFail(target, amount) {
      const units = toUnits(amount, decimals);
      if (token !== null) return send(await fundedAccount(), payment(target, FUNDS + units));
      await wallet.setCode({ address: target.address as Address, bytecode: REVERTS });
      return send(await fundedAccount(), payment(target, units));
    },
    mine: (blocks) => wallet.mine({ blocks }),
    async replace(txid, target) {
      const { from } = broadcasts.get(txid)!;
      const call =
        target === null
          ? { to: from.address, value: 0n }
          : payment(target, 10n ** BigInt(decimals));
      return send(from, call, '30');
    },
    drop: (txid) => wallet.dropTransaction({ hash: txid as Hex }),
    async reorganise(depth, kept) {
      await wallet.request({ method: 'anvil_reorg', params: [depth, []] } as never);
      for (const txid of kept)
        await wallet.sendRawTransaction({ serializedTransaction: broadcasts.get(txid)!.raw });
    },
    async advance(ms) {
      now += ms;
      await wallet.increaseTime({ seconds: ms / 1000 });
    },
    async fault(fault) {
      if (fault === null) return proxy.change(null);
      const { number, hash } = await wallet.getBlock();
      const newest = await wallet.request({
        method: 'eth_getBlockByNumber',
        params: [toHex(number), false],
      } as never);
      proxy.change(FAULTS[fault]({ height: number, hash, newest }));
    },
    async openOther() {
      proxy.change((call, answer) =>
        call.method === 'eth_chainId' ? { result: toHex(ANY_CHAIN_ID) } : answer,
      );
      return open();
    },
    async openSender() {
      const { assets } = await setUp();
      return createEvmSender({ chain, chainId, node: createEvmSendNode(rpc), assets, keys });
    },
    async fund(amount) {
      const address = evmSendingAddress(keys) as Address;
      const units = toUnits(amount, decimals);
      await wallet.setBalance({ address, value: token === null ? units : FUNDS });
      if (token !== null) await setTokens(address, units);
    },
    async held(text) {
      const address = text as Address;
      if (token === null) return fromUnits(await wallet.getBalance({ address }), decimals);
      const { abi } = contracts['Token']!;
      const read = { address: token, abi, functionName: 'balanceOf', args: [address] };
      return fromUnits((await wallet.readContract(read)) as bigint, decimals);
    },
    async close() {
      await proxy.stop();
      await anvil.stop();
    },
  };
}

const tokenCall = (functionName: string, args: unknown[]): Hex =>
  encodeFunctionData({ abi: contracts['Token']!.abi, functionName, args });

interface Frozen {
  height: bigint;
  hash: Hex;
  newest: unknown;
}

const FAULTS: Readonly<Record<NodeFault, (frozen: Frozen) => ChangeAnswer>> = {
  /** Answers as at this block: nothing of a later one is known. */
  behind:
    ({ height, newest }) =>
    ({ method, params }, answer) => {
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest') return { result: newest };
      const { number, blockNumber } = (answer.result ?? {}) as Record<string, string | undefined>;
      const found = number ?? blockNumber;
      return found !== undefined && BigInt(found) > height ? { result: null } : answer;
    },
  silent: () => () => {
    throw new Error('The node is silent');
  },
  empty:
    () =>
    ({ method }, answer) =>
      method.startsWith('eth_get') ? { result: null } : answer,
};
