import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { compileContracts, deploy, startAnvil, type Anvil } from '../../test/support/anvil.ts';
import { createFundedSender, SENDER, sign } from '../../test/support/evm-sender.ts';
import { startRpcProxy, type RpcProxy } from '../../test/support/rpc-proxy.ts';
import { UnavailableError } from '../error.ts';
import type { ChainSender, SendRequest, SentTransaction } from '../sender.ts';

// Some tokens return false instead of reverting: the transaction succeeds and nothing is moved.

const { abi, bytecode } = compileContracts()['ClosableToken']!;

let anvil: Anvil;
let proxy: RpcProxy;
let token: Address;
let sender: ChainSender;

beforeAll(async () => {
  anvil = await startAnvil();
  proxy = await startRpcProxy(anvil.url);
  token = await deploy(anvil, { abi, bytecode });
  sender = await createFundedSender({ anvil, urls: [proxy.url], tokens: { ETH_USDT: token } });
  await change('issue', [SENDER, 100_000_000n]);
});
afterAll(async () => {
  await proxy?.stop();
  await anvil?.stop();
});
beforeEach(() => change('setClosed', [false]));

async function change(functionName: string, args: readonly unknown[]): Promise<void> {
  const [account] = await anvil.wallet.getAddresses();
  await anvil.wallet.writeContract({
    address: token,
    abi,
    functionName,
    args,
    account: account!,
    chain: null,
  });
  await anvil.wallet.mine({ blocks: 1 });
}

const request: SendRequest = {
  asset: 'ETH_USDT',
  outputs: [
    {
      address: '0x000000000000000000000000000000000000b0b0',
      tag: null,
      amount: parseAmount('25'),
      memo: null,
      paymentRequest: null,
    },
  ],
  preset: 'normal',
  feeRate: null,
};

async function plan() {
  const { reserve } = await sender.estimate(request);
  return sender.plan({ ...request, id: 'p', feeReserve: reserve, minNonce: 0 });
}

/** Plans and signs a transfer, and closes the token before its block if wanted. */
async function send({ isClosed }: { isClosed: boolean }): Promise<SentTransaction> {
  const planned = await plan();
  if (planned.type !== 'plan') throw new Error(JSON.stringify(planned));
  const signed = await sign(planned.plan);
  await change('setClosed', [isClosed]);
  expect(await sender.broadcast(signed.raw)).toEqual({ result: 'ok' });
  await anvil.wallet.mine({ blocks: 1 });
  return { nonce: planned.nonce, attempts: [signed] };
}

it('a transfer that would return false is refused before it is signed', async () => {
  expect((await plan()).type).toBe('plan');
  await change('setClosed', [true]);
  expect(await plan()).toEqual({
    type: 'refused',
    reason: 'The token refuses this transfer: it would return false',
  });
});

it('a transfer that returned false is mined and not paid', async () => {
  const sent = await send({ isClosed: true });
  expect(await sender.lookUp(sent)).toMatchObject({
    state: 'block',
    succeeded: false,
    reason: 'The transaction was mined, but the token moved nothing',
  });
});

it('a transfer that returned true is paid', async () => {
  const sent = await send({ isClosed: false });
  expect(await sender.lookUp(sent)).toMatchObject({ succeeded: true, reason: null });
});

it('a transfer whose logs the node does not have yet stays unknown', async () => {
  const sent = await send({ isClosed: false });
  proxy.change(({ method }, answer) =>
    method === 'eth_getTransactionReceipt' && answer.result
      ? { result: { ...answer.result, logs: [] } }
      : answer,
  );
  await expect(sender.lookUp(sent)).rejects.toThrow(UnavailableError);
  proxy.change(null);
  expect(await sender.lookUp(sent)).toMatchObject({ succeeded: true });
});
