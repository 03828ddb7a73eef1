import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { type Address, formatEther, type Hex, parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FeeCeilingError } from '@crypto-checkout/chains/error';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import type { Anvil } from '../../../../chains/test/support/anvil.ts';
import type { RpcProxy } from '../../../../chains/test/support/rpc-proxy.ts';
import { contracts, payoutAddress } from '../../../test/support/ethereum.ts';
import { evmPayouts, type EvmPayouts } from '../../../test/support/evm-payouts.ts';
import { killableProcess } from '../../../test/support/kill.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../../test/support/payouts.ts';
import { endLeases } from '../../database/lease.ts';
import { processPayouts } from './process.ts';
import { requestReplacement } from './replace.ts';
import type { ReplaceIntent } from '../../engine/sending/replace.ts';

/** In amounts with 18 decimals. */
const SATOSHI = 10n ** 10n;
const SHOP: Address = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('a payout on an EVM chain', () => {
  let own: EvmPayouts;
  let shop: PayoutShop;
  let anvil: Anvil;
  let proxy: RpcProxy;

  beforeEach(async () => {
    own = await evmPayouts();
    ({ shop, anvil, proxy } = own);
    await own.baseFee('10');
    await shop.fund('ETH', '10');
  }, 30_000);
  afterEach(() => own?.close());

  const eth = (amount: string) =>
    shop.payOut({ kind: 'ETH', recipients: [{ amount, currency: 'ETH', address: SHOP }] });
  const replace = (id: string, intent: ReplaceIntent) =>
    requestReplacement(shop.context, { accountId: shop.accountId, username: 'ops' }, id, intent);
  const attempts = async (id: string) =>
    (
      await sql<{ intent: string; txid: Hex }>`
      select intent, txid from outgoing_attempt where outgoing_id = ${id} order by number`.execute(
        shop.context.db,
      )
    ).rows;
  const balance = async (): Promise<string> =>
    formatEther(await anvil.wallet.getBalance({ address: SHOP }));
  /** The books hold what the payout address holds, plus what was never on it. */
  async function requireExactBooks(): Promise<void> {
    const held = await anvil.wallet.getBalance({ address: payoutAddress });
    const spent = parseEther('500') - held;
    const { available, reserved } = await shop.holdings('ETH');
    expect({ available, reserved }).toEqual({
      available: formatAmount(parseAmount('10') - spent),
      reserved: '0',
    });
  }
  async function mineUntilFinal(): Promise<void> {
    await anvil.wallet.mine({ blocks: 12 });
    await shop.work();
  }

  it('is sent again for a higher fee when the base fee rises twentyfold', async () => {
    const { id } = await eth('1');
    await shop.work();
    const { txid } = await shop.payout(id);
    await own.baseFee('200');
    await shop.work();
    expect(await attempts(id)).toHaveLength(1);
    await own.aMinuteLater();
    shop.context.config.payoutFeeRise = 100;
    await shop.work();
    await shop.work();
    const payout = await shop.payout(id);
    expect(payout.status).toBe('pending');
    expect(payout.txid).not.toBe(txid);
    await mineUntilFinal();
    expect((await shop.payout(id)).status).toBe('complete');
    expect(await balance()).toBe('1');
    await requireExactBooks();
    expect(await shop.events(id)).toEqual([
      'payout_pending',
      'payout_confirmed',
      'payout_complete',
    ]);
  });

  it('waits with an alarm above the limit, and the payouts behind it follow a bump', async () => {
    const first = await eth('1');
    const second = await eth('2');
    await shop.work();
    await own.baseFee('200');
    await own.aMinuteLater();
    await shop.work();
    expect(await attempts(first.id)).toHaveLength(1);
    expect(await own.alarms()).toEqual([
      expect.stringMatching(
        /^The network fee rose to more than 10 times the estimate of 0\.\d+ ETH: the transaction waits for its block, and can be sent again for a higher fee or cancelled$/,
      ),
    ]);
    await replace(first.id, 'bump');
    await shop.work();
    await mineUntilFinal();
    expect((await shop.payout(first.id)).status).toBe('complete');
    expect(await own.alarms()).toEqual([]);
    await own.baseFee('10');
    for (let round = 0; round < 3; round += 1) await shop.work();
    await mineUntilFinal();
    expect((await shop.payout(second.id)).status).toBe('complete');
    expect(await balance()).toBe('3');
    await requireExactBooks();
  });

  it.each(['ETH', 'ETH_USDT'])('in %s is cancelled, and only the fee is spent', async (kind) => {
    const currency = kind === 'ETH' ? 'ETH' : 'USDT';
    if (kind === 'ETH_USDT') await shop.fund(kind, '50');
    if (kind === 'ETH_USDT')
      await anvil.wallet.writeContract({
        address: own.token,
        abi: contracts['Token']!.abi,
        functionName: 'transfer',
        args: [payoutAddress, 50_000_000n],
      });
    await anvil.wallet.mine({ blocks: 1 });
    const { id } = await shop.payOut({
      kind,
      recipients: [{ amount: '1', currency, address: SHOP }],
    });
    await shop.work();
    await replace(id, 'cancel');
    await shop.work();
    expect((await attempts(id)).map(({ intent }) => intent)).toEqual(['send', 'cancel']);
    await anvil.wallet.mine({ blocks: 1 });
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    await mineUntilFinal();
    expect(await shop.payout(id)).toMatchObject({
      status: 'failed',
      error: 'It was cancelled: another transaction took its place',
      txid: (await attempts(id))[1]!.txid,
    });
    expect(await balance()).toBe('0');
    if (kind === 'ETH_USDT')
      expect(await shop.holdings('ETH_USDT')).toEqual({ available: '50', reserved: '0' });
    await requireExactBooks();
    expect(await shop.events(id)).toEqual(['payout_pending', 'payout_failed']);
  });

  it('stays cancelled when the cancelling transaction is bumped', async () => {
    const { id } = await eth('1');
    await shop.work();
    await replace(id, 'cancel');
    await shop.work();
    await replace(id, 'bump');
    await shop.work();
    expect((await attempts(id)).map(({ intent }) => intent)).toEqual(['send', 'cancel', 'cancel']);
    await mineUntilFinal();
    expect((await shop.payout(id)).status).toBe('failed');
    expect(await balance()).toBe('0');
    await requireExactBooks();
  });

  it('is paid when the first transaction is mined before the cancelling one', async () => {
    const { id } = await eth('1');
    await shop.work();
    const { txid } = await shop.payout(id);
    await replace(id, 'cancel');
    await anvil.wallet.mine({ blocks: 1 });
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'confirmed', txid });
    await mineUntilFinal();
    expect((await shop.payout(id)).status).toBe('complete');
    expect(await balance()).toBe('1');
    await requireExactBooks();
  });

  it('is cancelled by a block that replaced the block which had paid it', async () => {
    const { id } = await eth('1');
    await shop.work();
    await replace(id, 'cancel');
    const fork = await anvil.wallet.snapshot();
    await anvil.wallet.mine({ blocks: 1 });
    await shop.work();
    expect((await shop.payout(id)).status).toBe('confirmed');
    await anvil.wallet.revert({ id: fork });
    for (let round = 0; round < 3; round += 1) await shop.work();
    await anvil.wallet.mine({ blocks: 2 });
    await shop.work();
    await mineUntilFinal();
    const { status } = await shop.payout(id);
    expect([status, await balance()]).toEqual(
      status === 'complete' ? ['complete', '1'] : ['failed', '0'],
    );
    await requireExactBooks();
  });

  it('is not sent twice by a provider that refuses a transaction and hands it on', async () => {
    proxy.change((call, answer) =>
      call.method === 'eth_sendRawTransaction'
        ? { error: { code: -32_000, message: 'transaction underpriced' } }
        : answer,
    );
    const { id } = await eth('3');
    await shop.work();
    expect((await shop.payout(id)).status).toBe('new');
    await shop.work();
    await mineUntilFinal();
    expect((await shop.payout(id)).status).toBe('complete');
    expect(await balance()).toBe('3');
    await requireExactBooks();
  });

  it('is sent for a higher fee when it is refused because the fee rose after its plan', async () => {
    const { signer } = shop.context;
    shop.context.signer = {
      async sign(request) {
        await own.baseFee('40');
        return signer.sign(request);
      },
    };
    const { id } = await eth('1');
    await shop.work();
    shop.context.signer = signer;
    expect((await shop.payout(id)).status).toBe('new');
    await shop.work();
    expect(await attempts(id)).toHaveLength(1);
    await own.aMinuteLater();
    await shop.work();
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({
      status: 'pending',
      txid: (await attempts(id))[1]!.txid,
    });
    await mineUntilFinal();
    expect(await balance()).toBe('1');
    await requireExactBooks();
  });

  it('goes on with the transaction before when the signer refuses the higher fee', async () => {
    const { id } = await eth('1');
    await shop.work();
    const { signer } = shop.context;
    shop.context.signer = {
      sign: () =>
        Promise.reject(new SigningRefusedError('The signer refused: the fee is too high')),
    };
    await replace(id, 'bump');
    await shop.work();
    shop.context.signer = signer;
    expect(await attempts(id)).toHaveLength(1);
    expect(await own.alarms()).toEqual([
      'A higher fee was not sent: The signer refused: the fee is too high',
    ]);
    await mineUntilFinal();
    expect((await shop.payout(id)).status).toBe('complete');
    await requireExactBooks();
    expect(await own.alarms()).toHaveLength(1);
    shop.context.clock.advance(21 * 60_000);
    await shop.work();
    expect(await own.alarms()).toEqual([]);
  });

  it('a bump or a cancellation is safe when the process dies at any step', async () => {
    const killable = killableProcess(shop.context);
    try {
      for (let steps = 0, survived = false; !survived; steps += 2) {
        expect(steps).toBeLessThan(200);
        const { id } = await eth('0.01');
        await shop.work();
        await replace(id, steps % 4 === 0 ? 'bump' : 'cancel');
        killable.surviveFor(steps);
        await processPayouts(killable.context).catch(() => {});
        survived = !killable.isKilled();
        killable.surviveFor(Number.POSITIVE_INFINITY);
        await endLeases(shop.context.db);
        for (let round = 0; round < 3; round += 1) await shop.work();
        await mineUntilFinal();
        const { status, txid } = await shop.payout(id);
        expect(['complete', 'failed']).toContain(status);
        const sent = await anvil.wallet.getTransaction({ hash: txid as Hex });
        expect(sent.value).toBe(status === 'complete' ? parseEther('0.01') : 0n);
        await requireExactBooks();
      }
    } finally {
      await killable.close();
    }
  }, 120_000);

  it('refuses what it cannot do, with the reason', async () => {
    const { id } = await eth('9');
    await expect(replace(id, 'bump')).rejects.toThrow(
      'The payout is new: only a transaction that was sent and waits for its block can be replaced.',
    );
    await shop.work();
    await own.baseFee('30000');
    await expect(replace(id, 'bump')).rejects.toThrow(
      /^The wallet has too little ETH: the new transaction can cost 1\.26\d*, and 0\.\d+ is held for it\.$/,
    );
    await expect(replace('nonsense', 'cancel')).rejects.toThrow('No payout has this id.');
  });

  it('is bumped once by two requests, and not by the worker at the same time', async () => {
    const { id } = await eth('1');
    await shop.work();
    await Promise.all([replace(id, 'bump'), replace(id, 'bump'), shop.work()]);
    await replace(id, 'bump');
    expect((await attempts(id)).map(({ intent }) => intent)).toEqual(['send', 'bump']);
    await replace(id, 'cancel');
    await replace(id, 'cancel');
    await own.aMinuteLater();
    await replace(id, 'bump');
    expect((await attempts(id)).map(({ intent }) => intent)).toEqual([
      'send',
      'bump',
      'cancel',
      'cancel',
    ]);
    await shop.work();
    await mineUntilFinal();
    expect((await shop.payout(id)).status).toBe('failed');
    await requireExactBooks();
  });
});

describe('a payout on a simulated chain', () => {
  let shop: PayoutShop;
  beforeAll(async () => {
    shop = await payoutShop({ chains: ['bitcoin', 'tron'] });
    await shop.fund('BTC', '10');
    await shop.fund('TRX', '1000');
  });
  afterAll(() => shop?.close());
  const replace = (id: string, intent: ReplaceIntent) =>
    requestReplacement(shop.context, { accountId: shop.accountId, username: 'ops' }, id, intent);

  it('can be bumped and cancelled', async () => {
    const bumped = await shop.payOut();
    const cancelled = await shop.payOut();
    await shop.work();
    const fee = parseAmount((await shop.payout(bumped.id)).amount.network_fee);
    await replace(bumped.id, 'bump');
    await replace(cancelled.id, 'cancel');
    await shop.work();
    await shop.mine('BTC', 6);
    await shop.work();
    const paid = await shop.payout(bumped.id);
    expect(paid.status).toBe('complete');
    expect(parseAmount(paid.amount.network_fee)).toBe(SATOSHI * (((fee / SATOSHI) * 5n) / 4n + 1n));
    expect((await shop.payout(cancelled.id)).status).toBe('failed');
    const received = (await shop.sent(ADDRESS.BTC)).filter(({ state }) => state === 'block');
    expect(received).toHaveLength(1);
  });

  it('is not bumped above the highest fee rate of its chain, and the caller reads why', async () => {
    const { id } = await shop.payOut();
    await shop.work();
    const replace = () => Promise.reject(new FeeCeilingError('It is the highest rate.'));
    const sender = { ...shop.context.senders.get('bitcoin')!, replace };
    const context = { ...shop.context, senders: new Map([['bitcoin', sender] as const]) };
    const caller = { accountId: shop.accountId, username: 'ops' };
    await expect(requestReplacement(context, caller, id, 'bump')).rejects.toMatchObject({
      name: 'ServiceError',
      reason: 'InvalidState',
      message: 'It is the highest rate.',
    });
    expect((await shop.payout(id)).status).toBe('pending');
  });

  it('cannot be replaced where a transaction that was sent is final', async () => {
    const { id } = await shop.payOut({
      kind: 'TRX',
      recipients: [{ amount: '1', currency: 'TRX', address: ADDRESS.TRX }],
    });
    await shop.work();
    await expect(replace(id, 'cancel')).rejects.toThrow(
      "A transaction on TRON (TRC20) can't be replaced once it is sent.",
    );
  });
});
