import { mnemonicToSeedSync } from '@scure/bip39';
import { fromUnits, parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { type Address, type Hex, parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOpStack, type OpStack } from '../../test/support/op-stack.ts';
import { createJsonRpc } from '../json-rpc.ts';
import { publicKeysOf } from '../keys.ts';
import type { ChainSender, EvmPlan, SendRequest } from '../sender.ts';
import { createSigner } from '../signer.ts';
import { createEvmNode } from './node.ts';
import { createEvmSendNode } from './send/send-node.ts';
import { createEvmSender, evmSendingAddress } from './sender.ts';
import { setUpEvm } from './setup.ts';

// Published test words without funds.
const seed = mnemonicToSeedSync(
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
);
const keys = publicKeysOf(seed, { network: 'mainnet' });
const from = evmSendingAddress(keys) as Address;

let op: OpStack;
let sender: ChainSender;

beforeAll(async () => {
  op = await startOpStack('--chain-id', '8453');
  const rpc = createJsonRpc({ url: op.proxy.url });
  const settings = { url: 'BASE_RPC_URL', tokens: 'BASE_TOKENS' };
  const setup = await setUpEvm({ chain: 'base', node: createEvmNode(rpc), tokens: {}, settings });
  sender = createEvmSender({
    chain: 'base',
    chainId: setup.chainId,
    node: createEvmSendNode(rpc),
    assets: setup.assets,
    keys,
  });
  await op.anvil.wallet.setBalance({ address: from, value: parseEther('2') });
});
afterAll(() => op?.stop());

const request: SendRequest = {
  asset: 'ETH-BASE',
  outputs: [
    {
      address: '0x000000000000000000000000000000000000b0b0',
      tag: null,
      amount: parseAmount('0.5'),
      memo: null,
      paymentRequest: null,
    },
  ],
  preset: 'normal',
  feeRate: null,
};

it('the fee for the data is in the estimate, in the plan and in the fee that was paid', async () => {
  const { fee, reserve } = await sender.estimate(request);
  const gas = 21_000n * (await op.anvil.wallet.getGasPrice());
  expect(toUnits(fee, 18)).toBeGreaterThan(op.dataFee);
  expect(toUnits(fee, 18)).toBeLessThan(op.dataFee + 2n * gas);
  expect(reserve).toBeGreaterThan(fee);

  const planned = await sender.plan({ ...request, id: 'p', feeReserve: reserve, minNonce: 0 });
  if (planned.type !== 'plan') throw new Error(JSON.stringify(planned));
  const { raw, txid } = await createSigner(seed).sign({
    id: 'p',
    purpose: 'payout',
    plan: planned.plan,
  });
  expect(await sender.broadcast(raw)).toEqual({ result: 'ok' });
  await op.anvil.wallet.mine({ blocks: 1 });
  const sent = await sender.lookUp({ nonce: planned.nonce, attempts: [{ txid, raw }] });
  const left = await op.anvil.wallet.getBalance({ address: from });
  expect(sent).toMatchObject({ state: 'block', succeeded: true });
  const { fee: paid } = sent as { fee: bigint };
  expect(toUnits(paid, 18)).toBe(parseEther('1.5') - left);
  const { gasUsed, effectiveGasPrice } = await op.anvil.wallet.getTransactionReceipt({
    hash: txid as Hex,
  });
  expect(toUnits(paid, 18) - gasUsed * effectiveGasPrice).toBe(op.dataFee);
});

it('a plan waits while the reserve does not cover the fee for the data', async () => {
  const { baseFeePerGas } = await op.anvil.wallet.getBlock();
  const feeReserve = fromUnits(21_000n * (baseFeePerGas! + 2n), 18);
  expect(await sender.plan({ ...request, id: 'q', feeReserve, minNonce: 0 })).toEqual({
    type: 'wait',
    reason: 'the network fee rose above what is held for it',
    cause: 'fee',
  });
});

it('the fee for the data is in the usual fee of any wallet, in the coin and in no token', async () => {
  const fee = toUnits(await sender.usualFee!('ETH-BASE'), 18);
  const gas = 21_000n * (await op.anvil.wallet.getGasPrice());
  expect(fee).toBeGreaterThan(op.dataFee);
  expect(fee).toBeLessThan(op.dataFee + 2n * gas);
});

it('the fee for the data of what waits for its block is not promised twice', async () => {
  const { reserve } = await sender.estimate(request);
  const ask = { ...request, feeReserve: reserve };
  const first = await sender.plan({ ...ask, id: 'first', minNonce: 0 });
  if (first.type !== 'plan') throw new Error(JSON.stringify(first));
  const { nonce, plan } = first;
  const { gasLimit, maxFeePerGas } = plan as EvmPlan;
  const own = parseEther('0.5');
  const earlier = own + BigInt(gasLimit) * BigInt(maxFeePerGas);
  const balance = own + toUnits(reserve, 18) + earlier;
  const next = { ...ask, id: 'next', minNonce: nonce! + 1, inFlight: [plan] };
  await op.anvil.wallet.setBalance({ address: from, value: balance });
  expect(await sender.plan(next)).toEqual({ type: 'busy' });
  await op.anvil.wallet.setBalance({ address: from, value: balance + 2n * op.dataFee });
  expect(await sender.plan(next)).toMatchObject({ type: 'plan' });
});
