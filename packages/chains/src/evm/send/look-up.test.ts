import { mnemonicToSeedSync } from '@scure/bip39';
import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { type Address, parseEther } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startAnvil, type Anvil } from '../../../test/support/anvil.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../test/support/rpc-proxy.ts';
import { createJsonRpc } from '../../json-rpc.ts';
import { publicKeysOf } from '../../keys.ts';
import type { ChainSender, EvmPlan, SentTransaction } from '../../sender.ts';
import { createSigner } from '../../signer.ts';
import { createEvmNode } from '../node.ts';
import { createEvmSender, evmSendingAddress } from '../sender.ts';
import { setUpEvm } from '../setup.ts';
import { createEvmSendNode } from './send-node.ts';

// Published test words without funds.
const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'testnet' });
const from = evmSendingAddress(keys) as Address;
const FINAL = CHAINS.ethereum.finalConfirmations;

let anvil: Anvil;
let proxy: RpcProxy;
let sender: ChainSender;
let sent: SentTransaction;
let plan: EvmPlan;

/** A payment with three confirmations. */
beforeAll(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.url);
  const rpc = createJsonRpc({ url: proxy.url });
  const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };
  const node = createEvmNode(rpc);
  const { chainId, assets } = await setUpEvm({ chain: 'ethereum', node, tokens: {}, settings });
  const sendNode = createEvmSendNode(rpc);
  sender = createEvmSender({ chain: 'ethereum', chainId, node: sendNode, assets, keys });
  await anvil.wallet.setBalance({ address: from, value: parseEther('2') });
  await pay();
}, 60_000);
afterAll(async () => {
  await proxy?.stop();
  await anvil?.stop();
});
beforeEach(() => proxy.change(null));

async function pay(): Promise<void> {
  const output = { tag: null, memo: null, paymentRequest: null, amount: parseAmount('0.5') };
  const planned = await sender.plan({
    id: 'p',
    asset: 'ETH',
    outputs: [{ ...output, address: '0x000000000000000000000000000000000000b0b0' }],
    preset: 'normal',
    feeRate: null,
    feeReserve: parseAmount('0.01'),
    minNonce: 0,
  });
  if (planned.type !== 'plan') throw new Error(JSON.stringify(planned));
  plan = planned.plan as EvmPlan;
  const signed = await createSigner(seed).sign({ id: 'p', purpose: 'payout', plan });
  expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
  await anvil.wallet.mine({ blocks: 3 });
  sent = { nonce: planned.nonce, attempts: [{ ...signed, plan }] };
}

const changeResult =
  (
    method: string,
    change: object,
    isMeant: (first: unknown) => boolean = () => true,
  ): ChangeAnswer =>
  (call, answer) =>
    call.method === method && answer.result && isMeant(call.params[0])
      ? { result: { ...answer.result, ...change } }
      : answer;

it('a receipt of a block that left the chain confirms nothing', async () => {
  expect(await sender.lookUp(sent)).toMatchObject({ state: 'block', confirmations: 3 });
  proxy.change(changeResult('eth_getTransactionReceipt', { blockHash: `0x${'ab'.repeat(32)}` }));
  await expect(sender.lookUp(sent)).rejects.toMatchObject({ name: 'UnavailableError' });
});

it('a payment is not final before the block that makes it so is there', async () => {
  const farAhead = { number: '0x3b9aca00' };
  proxy.change(changeResult('eth_getBlockByNumber', farAhead, (first) => first === 'latest'));
  expect(await sender.lookUp(sent)).toMatchObject({ confirmations: FINAL - 1 });
});

it('the fee is at most what was signed, and a fee for data belongs to chains that have one', async () => {
  const dear = { effectiveGasPrice: '0xde0b6b3a7640000', l1Fee: '0xde0b6b3a7640000' };
  proxy.change(changeResult('eth_getTransactionReceipt', dear));
  const { fee } = (await sender.lookUp(sent)) as { fee: bigint };
  expect(toUnits(fee, 18)).toBe(BigInt(plan.gasLimit) * BigInt(plan.maxFeePerGas));
});
