import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import type { Address } from 'viem';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Anvil } from '../../../../chains/test/support/anvil.ts';
import { payoutAddress } from '../../../test/support/ethereum.ts';
import { evmPayouts, type EvmPayouts } from '../../../test/support/evm-payouts.ts';
import type { PayoutShop } from '../../../test/support/payouts.ts';
import { decidePayout } from '../approval/decide.ts';

const SHOP: Address = '0x52908400098527886E0F7030069857D2E4169EE7';

let own: EvmPayouts;
let shop: PayoutShop;
let anvil: Anvil;

beforeEach(async () => {
  own = await evmPayouts();
  ({ shop, anvil } = own);
  await own.baseFee('10');
}, 30_000);
afterEach(() => own?.close());

const eth = (amount: string, by = shop.creator) =>
  shop.payOut({ kind: 'ETH', recipients: [{ amount, currency: 'ETH', address: SHOP }] }, by);
const approver = () => ({ accountId: shop.accountId, username: 'operator', email: null });

it('more is held for a payout when the network fee rises before it is sent', async () => {
  await shop.fund('ETH', '10');
  const { id } = await eth('1');
  const before = parseAmount((await shop.holdings('ETH')).reserved);
  await own.baseFee('40');
  await shop.work();
  await shop.work();
  expect((await shop.payout(id)).status).toBe('pending');
  const held = parseAmount((await shop.holdings('ETH')).reserved);
  expect(held).toBeGreaterThan(before);
  await anvil.wallet.mine({ blocks: 12 });
  await shop.work();
  const payout = await shop.payout(id);
  expect(payout.status).toBe('complete');
  const { available, reserved } = await shop.holdings('ETH');
  expect(reserved).toBe('0');
  const spent = parseAmount('1') + parseAmount(payout.amount.network_fee);
  expect(available).toBe(formatAmount(parseAmount('10') - spent));
});

it('a draft that is approved at five times its fee holds what it needs, and is sent at once', async () => {
  await shop.fund('ETH', '10');
  const draft = await eth('1', { ...shop.creator, maxPayout: '1' });
  expect(draft.status).toBe('draft');
  await own.baseFee('50');
  await decidePayout(shop.context, approver(), draft.id, { approve: true });
  const { network_fee: approvedFee } = (await shop.payout(draft.id)).amount;
  const before = parseAmount(draft.amount.network_fee);
  expect(parseAmount(approvedFee)).toBeGreaterThan(before * 3n);
  const { reserved } = await shop.holdings('ETH');
  expect(parseAmount(reserved)).toBeGreaterThan(parseAmount('1') + parseAmount(approvedFee));
  await shop.work();
  expect((await shop.payout(draft.id)).status).toBe('pending');
  expect((await shop.holdings('ETH')).reserved).toBe(reserved);
  await anvil.wallet.mine({ blocks: 12 });
  await shop.work();
  const { status: ended, amount } = await shop.payout(draft.id);
  expect(ended).toBe('complete');
  expect(await shop.holdings('ETH')).toEqual({
    available: formatAmount(parseAmount('9') - parseAmount(amount.network_fee)),
    reserved: '0',
  });
});

it('a draft whose fee rises again after its approval holds the difference', async () => {
  await shop.fund('ETH', '10');
  const { id } = await eth('1', { ...shop.creator, maxPayout: '1' });
  await own.baseFee('20');
  await decidePayout(shop.context, approver(), id, { approve: true });
  const { reserved } = await shop.holdings('ETH');
  await own.baseFee('80');
  await shop.work();
  expect(parseAmount((await shop.holdings('ETH')).reserved)).toBeGreaterThan(parseAmount(reserved));
  await shop.work();
  expect((await shop.payout(id)).status).toBe('pending');
});

it('the approval of a draft is refused while the wallet lacks the higher fee', async () => {
  await shop.fund('ETH', '1.0006');
  const { id } = await eth('1', { ...shop.creator, maxPayout: '1' });
  await own.baseFee('40');
  const approve = () => decidePayout(shop.context, approver(), id, { approve: true });
  await expect(approve()).rejects.toMatchObject({
    reason: 'InsufficientFunds',
    message: expect.stringMatching(
      `^The wallet has less available than the 1\\.\\d+ ETH that this payout needs\\. Send 0\\.\\d+ ETH to ${payoutAddress}, and assign it`,
    ),
  });
  expect((await shop.payout(id)).status).toBe('draft');
  await shop.fund('ETH', '1');
  await approve();
  await shop.work();
  expect((await shop.payout(id)).status).toBe('pending');
});

it('a draft is approved while the node is away, and holds the rest when it is back', async () => {
  await shop.fund('ETH', '10');
  const { id } = await eth('1', { ...shop.creator, maxPayout: '1' });
  await own.baseFee('50');
  own.proxy.forbid(/./);
  await decidePayout(shop.context, approver(), id, { approve: true });
  own.proxy.forbid(null);
  expect((await shop.payout(id)).status).toBe('new');
  const { reserved } = await shop.holdings('ETH');
  await shop.work();
  expect(parseAmount((await shop.holdings('ETH')).reserved)).toBeGreaterThan(parseAmount(reserved));
  await shop.work();
  expect((await shop.payout(id)).status).toBe('pending');
});

it('a payout waits with an alarm while the fee is too far above its estimate, and can be rejected', async () => {
  await shop.fund('ETH', '10');
  const { id } = await eth('1');
  await own.baseFee('400');
  await shop.work();
  await shop.work();
  expect((await shop.payout(id)).status).toBe('new');
  expect(await own.alarms()).toEqual([
    expect.stringMatching(
      /^The payout waits: the network fee rose to more than 10 times its estimate of 0\.\d+ ETH$/,
    ),
  ]);
  const reject = () => decidePayout(shop.context, approver(), id, { approve: false });
  await expect(reject()).rejects.toThrow(/for more than ten minutes/);
  shop.context.clock.advance(600_000);
  await reject();
  expect((await shop.payout(id)).status).toBe('rejected');
  expect(await shop.holdings('ETH')).toEqual({ available: '10', reserved: '0' });
  await own.baseFee('10');
  await shop.work();
  expect(await anvil.wallet.getTransactionCount({ address: payoutAddress })).toBe(0);
});

it('a payout waits with an alarm while the wallet lacks the higher fee', async () => {
  const { id } = await shop.fund('ETH', '1.0006').then(() => eth('1'));
  await own.baseFee('40');
  await shop.work();
  expect((await shop.payout(id)).status).toBe('new');
  expect(await own.alarms()).toEqual([
    'The payout waits: the network fee rose, and the wallet lacks ETH for it',
  ]);
  const { rows } = await sql<{ funding: { amount: string } }>`select funding from alarm`.execute(
    shop.context.db,
  );
  expect(rows).toMatchObject([{ funding: { asset: 'ETH', address: payoutAddress } }]);
  await shop.fund('ETH', rows[0]!.funding.amount);
  await shop.work();
  await shop.work();
  expect((await shop.payout(id)).status).toBe('pending');
});

it('a payout that is planned can no longer be rejected', async () => {
  await shop.fund('ETH', '10');
  const { id } = await eth('1');
  await shop.work();
  await expect(decidePayout(shop.context, approver(), id, { approve: false })).rejects.toThrow(
    /can be rejected/,
  );
});

it('an alarm says that a transaction has waited for its block for ten minutes', async () => {
  await shop.fund('ETH', '10');
  const { id } = await eth('1');
  await shop.work();
  await sql`update outgoing_attempt set created_at_real = ${new Date(shop.context.clock.now())}`.execute(
    shop.context.db,
  );
  shop.context.clock.advance(600_000);
  await shop.work();
  expect(await own.alarms()).toEqual([]);
  shop.context.clock.advance(1_000);
  await shop.work();
  const { txid } = await shop.payout(id);
  expect(await own.alarms()).toEqual([
    `The transaction ${txid} has waited for its block for more than 10 minutes`,
  ]);
});
