import { mnemonicToSeedSync } from '@scure/bip39';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { type Address, parseEther } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startAnvil, type Anvil } from '../../../test/support/anvil.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../test/support/rpc-proxy.ts';
import { createJsonRpc } from '../../json-rpc.ts';
import { publicKeysOf } from '../../keys.ts';
import type { ChainSender, Planned, SentTransaction } from '../../sender.ts';
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
/** The provider that is used, and a second one of the same chain. */
let proxy: RpcProxy;
let second: RpcProxy;
/** A sender with both providers, and one with the first alone. */
let sender: ChainSender;
let alone: ChainSender;
let ours: SentTransaction;

/** Two payouts are mined: the address has used the numbers 0 and 1. */
beforeAll(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.url);
  second = await startRpcProxy(anvil.url);
  const [rpc, other] = [proxy, second].map(({ url }) => createJsonRpc({ url, attempts: 1 }));
  const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };
  const evm = createEvmNode(rpc!);
  const setup = await setUpEvm({ chain: 'ethereum', node: evm, tokens: {}, settings });
  const [node, secondNode] = [createEvmSendNode(rpc!), createEvmSendNode(other!)];
  const { chainId, assets } = setup;
  alone = createEvmSender({ chain: 'ethereum', chainId, node, assets, keys });
  const providers = () => [node, secondNode];
  sender = createEvmSender({ chain: 'ethereum', chainId, node, providers, assets, keys });
  await anvil.wallet.setBalance({ address: from, value: parseEther('2') });
  ours = await pay(0);
  await pay(1);
  await anvil.wallet.mine({ blocks: FINAL + 2 });
}, 60_000);
afterAll(async () => {
  await proxy?.stop();
  await second?.stop();
  await anvil?.stop();
});
beforeEach(() => {
  proxy.change(null);
  second.change(null);
});

const output = { tag: null, memo: null, paymentRequest: null, amount: parseAmount('0.1') };
const planOf = (by: ChainSender, minNonce: number): Promise<Planned> =>
  by.plan({
    id: 'p',
    asset: 'ETH',
    outputs: [{ ...output, address: '0x000000000000000000000000000000000000b0b0' }],
    preset: 'normal',
    feeRate: null,
    feeReserve: parseAmount('0.01'),
    minNonce,
  });

async function pay(nonce: number): Promise<SentTransaction> {
  const planned = await planOf(sender, nonce);
  if (planned.type !== 'plan') throw new Error(JSON.stringify(planned));
  const signed = await createSigner(seed).sign({
    id: 'p',
    purpose: 'payout',
    plan: planned.plan,
  });
  expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
  await anvil.wallet.mine({ blocks: 1 });
  return { nonce: planned.nonce, attempts: [{ ...signed, plan: planned.plan }] };
}

/** The count of another chain, in the first answers. */
function tooHigh(answers: number): ChangeAnswer {
  let left = answers;
  return ({ method }, answer) =>
    method === 'eth_getTransactionCount' && left-- > 0 ? { result: '0x63' } : answer;
}

describe('the number of the next transaction', () => {
  it('is that of the own record when a node once counts too many', async () => {
    proxy.change(tooHigh(1));
    expect(await planOf(alone, 2)).toMatchObject({ type: 'plan', nonce: 2 });
    proxy.change(tooHigh(1));
    expect(await planOf(sender, 2)).toMatchObject({ type: 'plan', nonce: 2 });
  });

  it('is that of the own record when one of two providers always counts too many', async () => {
    proxy.change(tooHigh(Number.POSITIVE_INFINITY));
    expect(await planOf(sender, 2)).toMatchObject({ type: 'plan', nonce: 2 });
  });

  it('waits while the answers disagree and none is that of the own record', async () => {
    proxy.change(tooHigh(1));
    expect(await planOf(alone, 1)).toMatchObject({
      type: 'wait',
      reason: `the node's answers disagree about how much ${from} sent`,
    });
  });

  it('is that of the chain when the key has sent more than is recorded', async () => {
    expect(await planOf(alone, 0)).toMatchObject({ type: 'plan', nonce: 2 });
    expect(await planOf(sender, 0)).toMatchObject({ type: 'plan', nonce: 2 });
  });
});

describe('another transaction with the number of a payout', () => {
  const INVENTED = `0x${'ab'.repeat(32)}`;
  /** Hides our transaction, and shows another one in its place. */
  const invents: ChangeAnswer = (call, answer) => {
    const { txid } = ours.attempts[0]!;
    const text = JSON.stringify(answer).replaceAll(txid, INVENTED);
    const isAbout = (id: string): boolean => call.params[0] === id;
    if (isAbout(txid)) return { result: null };
    if (call.method === 'eth_getTransactionReceipt' && isAbout(INVENTED))
      return { result: { ...mined, transactionHash: INVENTED } };
    return JSON.parse(text) as typeof answer;
  };
  let mined: object;
  beforeAll(async () => {
    mined = await createJsonRpc({ url: anvil.url }).call({
      method: 'eth_getTransactionReceipt',
      params: [ours.attempts[0]!.txid],
      answer: z.looseObject({}),
    });
  });
  /** A payout with the number 0 whose transaction was never mined. */
  const lost = (): SentTransaction => ({
    nonce: 0,
    attempts: [{ ...ours.attempts[0]!, txid: `0x${'cd'.repeat(32)}` }],
  });

  it('is invented by one of two providers: the payout is not sent again', async () => {
    proxy.change(invents);
    expect(await alone.lookUp(ours)).toMatchObject({ state: 'impossible' });
    expect(await sender.lookUp(ours)).toEqual({ state: 'unseen' });
  });

  it('ends the payout when both providers show it, and not while one is silent', async () => {
    expect(await sender.lookUp(lost())).toMatchObject({ state: 'impossible' });
    second.change(() => {
      throw new Error('The node is silent');
    });
    expect(await sender.lookUp(lost())).toEqual({ state: 'unseen' });
    second.change(({ method }, answer) =>
      method === 'eth_getTransactionReceipt' ? { result: null } : answer,
    );
    expect(await sender.lookUp(lost())).toEqual({ state: 'unseen' });
  });
});
