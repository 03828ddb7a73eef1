import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { type Address, encodeFunctionData, parseEther } from 'viem';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { contracts, payoutAddress, tokensOf } from '../../test/support/ethereum.ts';
import { ethereumShop, type EthereumShop } from '../../test/support/ethereum-shop.ts';
import { readAttention } from '../dashboard/attention.ts';
import { readFunding } from '../dashboard/funding.ts';
import { assignMoney } from '../unassigned/assign.ts';

let ethereum: EthereumShop;
let { anvil, shop, token, mine, alarms, listed } = {} as EthereumShop;

beforeEach(async () => {
  ethereum = await ethereumShop();
  ({ anvil, shop, token, mine, alarms, listed } = ethereum);
}, 60_000);
afterEach(() => ethereum?.close());

const sendGas = (ether: string) =>
  anvil.wallet.sendTransaction({ to: payoutAddress, value: parseEther(ether), gas: 21_000n });
const assign = (id: string) =>
  assignMoney(shop.context, { id, accountId: shop.accountId, reason: 'Gas', by: 'ada' });

it('a shop that takes a token only can sweep and pay out with coin that its operator sent', async () => {
  const { address } = await shop.create({ kind: 'ETH_USDT', amount: undefined });
  const { abi } = contracts['Token']!;
  const data = encodeFunctionData({
    abi,
    functionName: 'transfer',
    args: [address as Address, 500_000_000n],
  });
  await anvil.wallet.sendTransaction({ to: token, data, gas: 100_000n });
  await mine();
  shop.context.clock.advance(600_000);
  await shop.sweep();
  const reason = `A sweep waits: USDT on Ethereum can't be swept, because the wallet "Ethereum (ERC20) wallet" has too little ETH for the network fee. Send ETH to the payout address ${payoutAddress}, and assign it to the wallet when it is listed as unassigned`;
  expect(await alarms()).toEqual([reason]);
  const attention = await readAttention(shop.context, shop.accountId);
  expect(attention.alarms.items).toEqual([
    expect.objectContaining({
      reason,
      network: 'Ethereum',
      about: null,
      funding: {
        amount: expect.stringMatching(/^0\.0\d+$/),
        currency: 'ETH',
        address: payoutAddress,
      },
    }),
  ]);

  const funding = async () => readFunding(shop.context, shop.accountId);
  const shown = { chain: 'ethereum', network: 'Ethereum', currency: 'ETH', pays_fees: true };
  const missing = expect.stringMatching(/^0\.0\d+$/);
  expect(await funding()).toEqual([{ ...shown, address: payoutAddress, available: '0', missing }]);

  await sendGas('1');
  await shop.settle();
  expect(await listed()).toEqual([]);
  await mine(1);
  const [gas] = await listed();
  expect(gas).toMatchObject({
    amount: '1',
    currency: 'ETH',
    reason: 'sent to the payout address: assign it to the wallet that pays network fees with it',
  });
  await expect(assign(gas!.id)).rejects.toThrow('have 1 of 12 confirmations');
  await mine(11);
  await assign(gas!.id);
  expect((await shop.holdings('ETH')).available).toBe('1');
  expect(await funding()).toMatchObject([{ available: '1', missing: '0' }]);

  shop.context.clock.advance(600_000);
  for (let round = 0; round < 3; round += 1) {
    await shop.sweep();
    await mine();
  }
  await shop.sweep();
  expect(await shop.sweeps()).toMatchObject([{ asset: 'ETH_USDT', status: 'complete' }]);
  const to: Address = '0x000000000000000000000000000000000000c0c0';
  const recipients = [{ amount: '200', currency: 'USDT', address: to }];
  const { id } = await shop.payOut({ kind: 'ETH_USDT', recipients });
  await shop.work();
  await mine();
  await shop.work();
  expect((await shop.payout(id)).status).toBe('complete');
  expect(await tokensOf(anvil, token, to)).toBe(200_000_000n);
  expect(await listed()).toEqual([]);
  // The books equal the chain to the last unit.
  const onChain = async (of: Address) => anvil.wallet.getBalance({ address: of });
  const held = (await onChain(payoutAddress)) + (await onChain(address as Address));
  const { available, reserved } = await shop.holdings('ETH');
  expect(parseAmount(available) + parseAmount(reserved)).toBe(held);
  expect(formatAmount(parseAmount((await shop.holdings('ETH_USDT')).available))).toBe('300');
});

it('coin on the payout address leaves the list with its block', async () => {
  const fork = await anvil.wallet.snapshot();
  await sendGas('1');
  await mine(2);
  expect(await listed()).toHaveLength(1);
  await anvil.wallet.revert({ id: fork });
  await mine(3);
  await mine(1);
  expect(await listed()).toEqual([]);
});
