import { CHAINS } from '@crypto-checkout/protocol/kind';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startAnvil, type Anvil } from '../../../test/support/anvil.ts';
import {
  createFundedSender,
  payOnce,
  planPayment,
  SENDER,
} from '../../../test/support/evm-sender.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../test/support/rpc-proxy.ts';
import { createJsonRpc } from '../../json-rpc.ts';
import type { ChainSender, Planned, SentTransaction } from '../../sender.ts';

const FINAL = CHAINS.ethereum.finalConfirmations;
const AMOUNT = '0.1';

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
  alone = await createFundedSender({ anvil, urls: [proxy.url], attempts: 1 });
  sender = await createFundedSender({ anvil, urls: [proxy.url, second.url], attempts: 1 });
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

const planOf = (by: ChainSender, minNonce: number): Promise<Planned> =>
  planPayment(by, AMOUNT, minNonce);

async function pay(nonce: number): Promise<SentTransaction> {
  const sent = await payOnce(sender, AMOUNT, nonce);
  await anvil.wallet.mine({ blocks: 1 });
  return sent;
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
      reason: `the node's answers disagree about how much ${SENDER} sent`,
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
