import type { ChainSender } from '@crypto-checkout/chains/sender';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ADDRESS } from '../../test/support/payouts.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';
import { internalTxids } from './sending/internal-txids.ts';

let shop: SweepShop;

beforeEach(async () => {
  shop = await sweepShop({ chains: ['ton'] });
  const senders = shop.context.senders as Map<string, ChainSender>;
  senders.set('ton', withLateTxids(senders.get('ton')!));
});
afterEach(() => shop.close());

/** A chain that gives a transaction its own id with its block. */
function withLateTxids(sender: ChainSender): ChainSender {
  const { sweeping } = sender;
  return {
    ...sender,
    ...(sweeping && {
      sweeping: { ...sweeping, from: (deposit) => withLateTxids(sweeping.from(deposit)) },
    }),
    hasLateTxids: true,
    async lookUp(sent) {
      const status = await sender.lookUp(sent);
      if (status.state !== 'block') return status;
      return { ...status, txid: lateId(status.txid), signedAs: status.txid };
    },
  };
}

const lateId = (signedAs: string): string => `block ${signedAs.slice(0, 8)}`;

async function signedAs(): Promise<string> {
  const { txid } = await shop.context.db
    .selectFrom('outgoing_attempt')
    .select('txid')
    .executeTakeFirstOrThrow();
  return txid!;
}

it('a payout shows no id before its block, and the id of the chain from then on', async () => {
  await shop.fund('TON', '10');
  const recipients = [{ amount: '1', currency: 'TON', address: ADDRESS.TON }];
  const { id } = await shop.payOut({ kind: 'TON', recipients });
  await shop.work();
  expect(await shop.payout(id)).toMatchObject({ status: 'pending', txid: '' });
  // The look at the mempool finds its own attempt, and sends nothing again.
  await shop.work();
  expect(await shop.payout(id)).toMatchObject({ status: 'pending', txid: '' });
  await shop.mine('TON');
  await shop.work();
  expect(await shop.payout(id)).toMatchObject({
    status: 'complete',
    txid: lateId(await signedAs()),
  });
});

it('a transfer of our own is recognized by the id of the chain, and by that of its bytes', async () => {
  await shop.deposit('TON', '100');
  await shop.advance(600);
  await shop.sweep();
  await shop.mine('TON');
  const own = await signedAs();
  const isOwn = async (observation: { txid: string; signedAs?: string }): Promise<boolean> =>
    (await internalTxids(shop.context.db, 'ton', [observation])).has(observation.txid);
  // A scan can show it before it was looked up.
  expect(await isOwn({ txid: lateId(own), signedAs: own })).toBe(true);
  expect(await isOwn({ txid: lateId(own) })).toBe(false);
  await shop.sweep();
  expect(await isOwn({ txid: lateId(own) })).toBe(true);
  expect(await isOwn({ txid: 'another', signedAs: 'other bytes' })).toBe(false);
});
