import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import {
  CHAINS,
  KINDS,
  kindOf,
  PAYOUT_ONLY_KINDS,
  type ChainId,
  type Kind,
} from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DepositTarget } from '@crypto-checkout/chains/adapter';
import { deriveTarget } from '@crypto-checkout/chains/deposit-target';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import type { ShownInvoice } from '../../test/support/shop.ts';
import { createPayout } from './create.ts';
import {
  ADDRESS,
  payoutShop,
  requirePayoutBooks,
  type PayoutShop,
} from '../../test/support/payouts.ts';

/** A created payout and its observed statuses. */
interface TrackedPayout {
  id: string;
  coin: Kind;
  /** Asset that pays the network fee. */
  feeAsset: string;
  /** In order, each once. */
  statuses: string[];
  target: DepositTarget;
}

const AMOUNT = '1.25';
const FUNDS = '1000';
const outsideKeys = publicKeysOf(new Uint8Array(32).fill(7), { network: 'testnet' });
const PAYABLE = [
  ...KINDS.filter(({ kind, chain }) => chain !== 'lightning' && kind !== 'JAMBO-SOL').map(
    ({ kind }) => kind,
  ),
  ...PAYOUT_ONLY_KINDS,
];
const COINS = (Object.keys(CHAINS) as ChainId[])
  .filter((chain) => chain !== 'lightning')
  .map((chain) => coinOfChain(chain));

let shop: PayoutShop;
/** Outside addresses by kind. */
const paid = new Map<string, TrackedPayout>();
/** Invoices of the shop by the coin of their chain. */
const internal = new Map<string, TrackedPayout & { invoice: ShownInvoice }>();

beforeAll(async () => {
  shop = await payoutShop();
  for (const asset of new Set(
    PAYABLE.flatMap((kind) => [coinOf(kind).asset, coinOfChain(coinOf(kind).chain).asset]),
  ))
    await shop.fund(asset, FUNDS);
  for (const [index, kind] of PAYABLE.entries()) {
    const target = await outsideTarget(coinOf(kind), index);
    paid.set(kind, await pay(kind, target, textOf(target)));
  }
  for (const coin of COINS) {
    const invoice = await shop.create({ kind: coin.kind, amount: undefined, currency: 'USD' });
    const target = { watchKeys: await watchKeysOf(invoice.id) } as unknown as DepositTarget;
    internal.set(coin.kind, { ...(await pay(coin.kind, target, invoice.address!)), invoice });
  }
  await recordStatuses();
  await shop.work();
  await recordStatuses();
  const mine = async (blocks: (coin: Kind) => number): Promise<void> => {
    for (const coin of COINS) await shop.world.mine(coin.chain, blocks(coin));
    await shop.settle();
    await requirePayoutBooks(shop);
    await recordStatuses();
  };
  await mine(() => 1);
  await mine(({ finalConfirmations }) => finalConfirmations - 1);
  // TON sends one at a time.
  for (let turn = 0; turn < KINDS.filter(({ chain }) => chain === 'ton').length; turn += 1)
    await mine(({ chain }) => (chain === 'ton' ? 1 : 0));
}, 120_000);
afterAll(() => shop.close());

/** Both lightning kinds send bitcoin. */
function coinOf(kind: string): Kind {
  return kindOf(kind === 'BTC_LIGHTNING_TO_BTC' ? 'BTC' : kind)!;
}

function coinOfChain(chain: ChainId): Kind {
  return KINDS.find((kind) => kind.chain === chain)!;
}

/** An outside address, and the watch key of its payments. */
function outsideTarget({ kind, chain }: Kind, index: number): Promise<DepositTarget> {
  const lightning = {
    amount: parseAmount(AMOUNT),
    expirySeconds: 900,
    description: 'theirs',
    now: shop.context.clock.now(),
  };
  return deriveTarget(outsideKeys, chain, {
    kind: chain === 'lightning' ? 'BTC_LIGHTNING' : kind,
    index,
    ...lightning,
  });
}

const textOf = ({ address, tag, lightning }: DepositTarget): string =>
  lightning?.paymentRequest ?? (tag === null ? address! : `${address}:${tag}`);

async function watchKeysOf(invoiceId: string): Promise<string[]> {
  const rows = await shop.context.db
    .selectFrom('deposit_target')
    .select('watch_key')
    .where('invoice_id', '=', invoiceId)
    .execute();
  return rows.map(({ watch_key }) => watch_key);
}

async function pay(kind: string, target: DepositTarget, address: string): Promise<TrackedPayout> {
  const coin = coinOf(kind);
  // Callers must not state USDT; internal payouts, such as automatic ones, may.
  const recipients = [{ amount: AMOUNT, currency: coin.symbol, address }];
  const { payout } = await createPayout(shop.context, shop.creator, {
    kind,
    profile_id: shop.profileId,
    recipients,
  });
  return { id: payout.id, coin, feeAsset: coinOfChain(coin.chain).asset, statuses: [], target };
}

async function recordStatuses(): Promise<void> {
  const rows = await shop.context.db.selectFrom('payout').select(['id', 'status']).execute();
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
  for (const { id, statuses } of [...paid.values(), ...internal.values()]) {
    const status = statusOf.get(id)!;
    if (statuses.at(-1) !== status) statuses.push(status);
  }
}

async function arrivals(watchKey: string): Promise<unknown[]> {
  const { rows } = await sql`
    select txid, asset, trim_scale(amount)::text as amount from sandbox_output where watch_key = ${watchKey}`.execute(
    shop.context.db,
  );
  return rows;
}

describe('payouts of every kind', () => {
  it.each(PAYABLE)('%s arrives and debits the amount and the network fee', async (kind) => {
    const { id, coin, feeAsset, statuses, target } = paid.get(kind)!;
    const { txid, amount, network_fee, error } = await shop.payout(id);
    const isFinalAtOnce = coin.finalConfirmations === 1;
    const stages =
      coin.chain === 'lightning'
        ? ['complete']
        : ['pending', ...(isFinalAtOnce ? [] : ['confirmed']), 'complete'];
    expect(statuses.filter((status) => status !== 'queued')).toEqual(['new', ...stages]);
    expect(await shop.events(id)).toEqual([
      'payout_pending',
      'payout_confirmed',
      'payout_complete',
    ]);
    expect([error, amount]).toEqual([
      null,
      {
        total: AMOUNT,
        network_fee: expect.stringMatching(/[1-9]/),
        network_fee_currency: kindOf(feeAsset)!.symbol,
      },
    ]);
    // Satoshi per byte, which other chains do not have.
    expect(network_fee).toEqual(
      ['utxo', 'liquid'].includes(CHAINS[coin.chain].family) ? expect.any(Number) : null,
    );
    expect(await arrivals(target.watchKeys[0]!)).toEqual([
      { txid, asset: coin.asset, amount: AMOUNT },
    ]);
    const { rows } = await sql<{ currency: string; sum: string; wallet: string }>`
      select currency, trim_scale(sum(amount))::text as sum, trim_scale(sum(amount) filter (where book = 'wallet'))::text as wallet
      from posting where resource_id = ${id} group by currency`.execute(shop.context.db);
    const spent = new Map([[coin.asset, parseAmount(AMOUNT)]]);
    spent.set(feeAsset, (spent.get(feeAsset) ?? 0n) + parseAmount(amount.network_fee));
    expect(new Map(rows.map(({ currency, sum, wallet }) => [currency, { sum, wallet }]))).toEqual(
      new Map(
        [...spent].map(([currency, cost]) => [
          currency,
          { sum: '0', wallet: `-${formatAmount(cost)}` },
        ]),
      ),
    );
  });

  it.each(COINS.map(({ kind }) => kind))(
    '%s to an invoice of this service pays it',
    async (kind) => {
      const { id, invoice, target } = internal.get(kind)!;
      const { status, txid } = await shop.payout(id);
      expect(status).toBe('complete');
      expect(await shop.transactions(invoice.id)).toMatchObject([
        {
          txid,
          kind,
          status: 'complete',
          amount: { paid: { amount: AMOUNT, currency: coinOf(kind).symbol } },
        },
      ]);
      expect(await arrivals(target.watchKeys[0]!)).toHaveLength(1);
    },
  );

  it('leave the unsent balance in the wallets', async () => {
    const expected = new Map<string, bigint>();
    const add = (asset: string, amount: bigint): void =>
      void expected.set(asset, (expected.get(asset) ?? parseAmount(FUNDS)) + amount);
    for (const { id, coin, feeAsset } of [...paid.values(), ...internal.values()]) {
      add(coin.asset, -parseAmount(AMOUNT));
      add(feeAsset, -parseAmount((await shop.payout(id)).amount.network_fee));
    }
    for (const { coin } of internal.values()) add(coin.asset, parseAmount(AMOUNT));
    for (const [asset, available] of expected)
      expect([asset, await shop.holdings(asset)]).toEqual([
        asset,
        { available: formatAmount(available), reserved: '0' },
      ]);
  });

  it('JAMBO-SOL is rejected: it has no contract', async () => {
    const recipients = [{ amount: AMOUNT, currency: 'USD', address: ADDRESS.SOL }];
    await expect(shop.payOut({ kind: 'JAMBO-SOL', recipients })).rejects.toMatchObject({
      reason: 'CurrencyNotEnabled',
    });
  });
});
