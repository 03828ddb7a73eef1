import { toUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startAnvil, type Anvil } from '../../../test/support/anvil.ts';
import { createFundedSender, payOnce } from '../../../test/support/evm-sender.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../test/support/rpc-proxy.ts';
import type { ChainSender, EvmPlan, SentTransaction } from '../../sender.ts';

const FINAL = CHAINS.ethereum.finalConfirmations;

let anvil: Anvil;
let proxy: RpcProxy;
let sender: ChainSender;
let sent: SentTransaction;

/** A payment with three confirmations. */
beforeAll(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.url);
  sender = await createFundedSender({ anvil, urls: [proxy.url] });
  sent = await payOnce(sender, '0.5', 0);
  await anvil.wallet.mine({ blocks: 3 });
}, 60_000);
afterAll(async () => {
  await proxy?.stop();
  await anvil?.stop();
});
beforeEach(() => proxy.change(null));

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
  const plan = sent.attempts[0]!.plan as EvmPlan;
  expect(toUnits(fee, 18)).toBe(BigInt(plan.gasLimit) * BigInt(plan.maxFeePerGas));
});
