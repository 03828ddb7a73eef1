import { parseAmount } from '@crypto-checkout/protocol/amount';
import { expect, it } from 'vitest';
import {
  type BitcoinChain,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { Money } from '../../test/support/money.ts';
import { bitcoinAttempts, serveBitcoinEach } from '../../test/support/bitcoin-bench.ts';

describeOnLitecoind('a payout that no node has', () => {
  let payer: BitcoinPayer;
  let money: Money;
  let change: BitcoinChain['change'];
  serveBitcoinEach((bench) => ({ payer, money, change } = bench));

  const attempts = () => bitcoinAttempts(money);

  it('makes the gateway read no blocks while its coins are there', async () => {
    // All five coins, so that the next payout spends the change.
    await money.payOut(money.chain.stranger(), '9');
    await money.work();
    await money.mine(money.final);
    await money.work();
    const { id } = await money.payOut(money.chain.stranger(), '0.5');
    await money.work();
    await payer.expire();
    let blocks = 0;
    change((call, answer) => {
      if (call.method === 'getblock') blocks += 1;
      if (call.method === 'testmempoolaccept')
        return { result: [{ allowed: false, 'reject-reason': 'min relay fee not met' }] };
      return answer;
    });
    await money.work();
    expect(await money.shop.payout(id)).toMatchObject({ status: 'pending' });
    expect(blocks).toBe(0);
  }, 120_000);

  it('leaves the coins that are there, when its block left the chain and it never comes', async () => {
    const { id } = await money.payOut(money.chain.stranger(), '3');
    await money.work();
    await money.mine(1);
    await money.work();
    const [sent] = await attempts();
    expect(sent!.plan.inputs).toHaveLength(2);
    await money.chain.reorganise(1, []);
    const outputs = [{ address: money.chain.stranger(), units: '150000000' }];
    const plan = { ...sent!.plan, inputs: sent!.plan.inputs.slice(0, 1), outputs, change: null };
    const { signer } = money.shop.context;
    const signed = await signer.sign({ id: 'elsewhere', purpose: 'payout', plan });
    await payer.node.call('sendrawtransaction', signed.raw, 0);
    await money.mine(money.final);
    await money.work();
    expect(await money.shop.payout(id)).toMatchObject({ status: 'failed' });
    const recipient = money.chain.stranger();
    await money.payOut(recipient, '7.9');
    await money.work();
    await money.work(1);
    expect(await money.chain.held(recipient)).toBe(parseAmount('7.9'));
  }, 120_000);
});
