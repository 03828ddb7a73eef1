import { UnavailableError } from '@crypto-checkout/chains/error';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { type Address, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { payoutAddress } from '../../test/support/ethereum.ts';
import { ethereumShop, type EthereumShop } from '../../test/support/ethereum-shop.ts';

const COLD: Address = '0x000000000000000000000000000000000000c01d';
/** The price of an ether in these tests is 2,500 USD. */
const FOUR_THOUSAND = parseAmount('4000');

let ethereum: EthereumShop;
let { anvil, shop, mine, alarms, listed } = {} as EthereumShop;

beforeEach(async () => {
  ethereum = await ethereumShop();
  ({ anvil, shop, mine, alarms, listed } = ethereum);
}, 60_000);
afterEach(() => ethereum?.close());

async function deposit(ether: string): Promise<void> {
  const { address } = await shop.create({ kind: 'ETH', amount: undefined });
  const payment = { to: address as Address, value: parseEther(ether), gas: 21_000n };
  await anvil.wallet.sendTransaction(payment);
  await mine();
  shop.context.clock.advance(600_000);
}

async function sweepAll(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await shop.sweep();
    await mine();
  }
  await shop.sweep();
}

/** Whole ether, without what a fee took. */
async function held(address: Address): Promise<number> {
  const wei = await anvil.wallet.getBalance({ address });
  return Math.round(Number(wei) / 1e18);
}
describe('with a cold address', () => {
  beforeEach(() => {
    shop.context.config.sweepTo = { ethereum: COLD };
  });

  it('sweeps every deposit there, and the wallet keeps it', async () => {
    await deposit('2');
    await sweepAll();
    expect(await shop.sweeps()).toMatchObject([{ status: 'complete', recipient: COLD }]);
    expect([await held(COLD), await held(payoutAddress)]).toEqual([2, 0]);
    const { available } = await shop.holdings('ETH');
    expect(parseAmount(available)).toBeGreaterThan(parseAmount('1.999'));
  });

  it('fills the payout address up to HOT_LIMIT, and sweeps the rest to the cold address', async () => {
    shop.context.config.hotLimit = FOUR_THOUSAND;
    await deposit('1');
    await deposit('1');
    await sweepAll();
    expect([await held(payoutAddress), await held(COLD)]).toEqual([1, 1]);
    await deposit('1');
    await sweepAll();
    expect([await held(payoutAddress), await held(COLD)]).toEqual([1, 2]);
  });

  it('a payout beyond the payout address waits, and is sent when its money comes back', async () => {
    await deposit('2');
    await sweepAll();
    const to: Address = '0x000000000000000000000000000000000000c0c0';
    const recipients = [{ amount: '1', currency: 'ETH', address: to }];
    const { id } = await shop.payOut({ kind: 'ETH', recipients });
    await shop.work();
    expect((await shop.payout(id)).status).toBe('new');
    expect(await alarms()).toEqual([
      `Payouts are waiting: the address ${payoutAddress} holds too little ETH`,
    ]);
    await anvil.wallet.impersonateAccount({ address: COLD });
    const back = { account: COLD, to: payoutAddress, value: parseEther('1.5') };
    await anvil.wallet.sendTransaction(back);
    await mine();
    expect(await listed()).toEqual([]);
    await shop.work();
    await mine();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('complete');
    expect(await held(to)).toBe(1);
  });

  it('money from elsewhere on the payout address is listed, with both decisions', async () => {
    const gas = { to: payoutAddress, value: parseEther('1'), gas: 21_000n };
    await anvil.wallet.sendTransaction(gas);
    await mine();
    expect(await listed()).toMatchObject([
      { amount: '1', reason: expect.stringMatching(/dismiss it if it was swept before/) },
    ]);
  });
});

it('without a cold address, deposits beyond HOT_LIMIT wait with an alarm', async () => {
  shop.context.config.hotLimit = FOUR_THOUSAND;
  await deposit('1');
  await sweepAll();
  await deposit('1');
  await sweepAll();
  expect(await held(payoutAddress)).toBe(1);
  expect(await alarms()).toEqual([
    `Deposits are not swept: the payout address ${payoutAddress} would hold more than HOT_LIMIT, 4000 USD, and SWEEP_TO names no cold address of Ethereum`,
  ]);
  // It goes on while the deposit waits, whose turn comes every ten minutes.
  for (let minutes = 0; minutes < 40; minutes += 5) {
    shop.context.clock.advance(300_000);
    await sweepAll();
    expect(await alarms()).toHaveLength(1);
  }
  shop.context.config.hotLimit = null;
  for (let round = 0; round < 5; round += 1) {
    shop.context.clock.advance(300_000);
    await sweepAll();
  }
  expect(await held(payoutAddress)).toBe(2);
  expect(await alarms()).toEqual([]);
});

it('a node that does not answer ends no cause of an alarm', async () => {
  shop.context.config.hotLimit = FOUR_THOUSAND;
  for (let count = 0; count < 2; count += 1) {
    await deposit('1');
    await sweepAll();
  }
  const adapter = shop.context.chains.get('ethereum')!;
  const { health } = adapter;
  adapter.health = () => Promise.reject(new UnavailableError('no answer'));
  shop.context.clock.advance(3_600_000);
  await shop.sweep();
  expect(await alarms()).toHaveLength(1);
  adapter.health = health;
});
