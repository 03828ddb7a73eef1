import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS, kindOf, PAYOUT_ONLY_KINDS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DepositTarget } from '../chain/adapter.ts';
import { deriveTarget } from '../chain/derive/target.ts';
import { publicKeysOf } from '../chain/keys.ts';
import type { ShownInvoice } from '../invoice/test-shop.ts';
import { createPayout } from './create.ts';
import { ADDRESS, payoutShop, requirePayoutBooks, type PayoutShop } from './test-payouts.ts';

/** One that was created, and what was seen of it. */
interface Followed {
  id: string;
  coin: Kind;
  /** Of the coin that pays the network. */
  feeAsset: string;
  /** In order, each once. */
  statuses: string[];
  target: DepositTarget;
}

const AMOUNT = '1.25';
const FUNDS = '1000';
const theirs = publicKeysOf(new Uint8Array(32).fill(7), { network: 'testnet' });
const PAYABLE = [
  ...KINDS.filter(({ kind, chain }) => chain !== 'lightning' && kind !== 'JAMBO-SOL').map(({ kind }) => kind),
  ...PAYOUT_ONLY_KINDS,
];
const COINS = (Object.keys(CHAINS) as ChainId[]).filter((chain) => chain !== 'lightning').map((chain) => coinOfChain(chain));

let shop: PayoutShop;
/** By kind: to somebody else. */
const paid = new Map<string, Followed>();
/** By a chain's own coin: to an invoice of ours. */
const own = new Map<string, Followed & { invoice: ShownInvoice }>();

beforeAll(async () => {
  shop = await payoutShop();
  for (const asset of new Set(PAYABLE.flatMap((kind) => [coinOf(kind).asset, coinOfChain(coinOf(kind).chain).asset])))
    await shop.fund(asset, FUNDS);
  for (const [index, kind] of PAYABLE.entries()) {
    const target = await somebody(coinOf(kind), index);
    paid.set(kind, await pay(kind, target, textOf(target)));
  }
  for (const coin of COINS) {
    const invoice = await shop.create({ kind: coin.kind, amount: undefined, currency: 'USD' });
    const target = { watchKeys: await watchKeysOf(invoice.id) } as unknown as DepositTarget;
    own.set(coin.kind, { ...(await pay(coin.kind, target, invoice.address!)), invoice });
  }
  await look();
  await shop.work();
  await look();
  const mine = async (blocks: (coin: Kind) => number): Promise<void> => {
    for (const coin of COINS) await shop.world.mine(coin.chain, blocks(coin));
    await shop.settle();
    await requirePayoutBooks(shop);
    await look();
  };
  await mine(() => 1);
  await mine(({ finalConfirmations }) => finalConfirmations - 1);
  // One after another on TON.
  for (let turn = 0; turn < KINDS.filter(({ chain }) => chain === 'ton').length; turn += 1)
    await mine(({ chain }) => (chain === 'ton' ? 1 : 0));
}, 120_000);
afterAll(() => shop.close());

/** What both kinds of lightning send is bitcoin. */
function coinOf(kind: string): Kind {
  return kindOf(kind === 'BTC_LIGHTNING_TO_BTC' ? 'BTC' : kind)!;
}

function coinOfChain(chain: ChainId): Kind {
  return KINDS.find((kind) => kind.chain === chain)!;
}

/** Where somebody else is paid, and the key by which a service of theirs would find it. */
function somebody({ kind, chain }: Kind, index: number): Promise<DepositTarget> {
  const lightning = { amount: parseAmount(AMOUNT), expirySeconds: 900, description: 'theirs', now: shop.context.clock.now() };
  return deriveTarget(theirs, chain, { kind: chain === 'lightning' ? 'BTC_LIGHTNING' : kind, index, ...lightning });
}

const textOf = ({ address, tag, lightning }: DepositTarget): string =>
  lightning?.paymentRequest ?? (tag === null ? address! : `${address}:${tag}`);

async function watchKeysOf(invoiceId: string): Promise<string[]> {
  const rows = await shop.context.db.selectFrom('deposit_target').select('watch_key').where('invoice_id', '=', invoiceId).execute();
  return rows.map(({ watch_key }) => watch_key);
}

async function pay(kind: string, target: DepositTarget, address: string): Promise<Followed> {
  const coin = coinOf(kind);
  // Callers have no USDT here (§4.3); the service's own payouts, as automatic ones are, have it all the same.
  const recipients = [{ amount: AMOUNT, currency: coin.symbol, address }];
  const { payout } = await createPayout(shop.context, shop.creator, { kind, profile_id: shop.profileId, recipients });
  return { id: payout.id, coin, feeAsset: coinOfChain(coin.chain).asset, statuses: [], target };
}

async function look(): Promise<void> {
  const rows = await shop.context.db.selectFrom('payout').select(['id', 'status']).execute();
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
  for (const { id, statuses } of [...paid.values(), ...own.values()]) {
    const status = statusOf.get(id)!;
    if (statuses.at(-1) !== status) statuses.push(status);
  }
}

async function arrived(watchKey: string): Promise<unknown[]> {
  const { rows } = await sql`
    select txid, asset, trim_scale(amount)::text as amount from sandbox_output where watch_key = ${watchKey}`.execute(shop.context.db);
  return rows;
}

describe('a payout of', () => {
  it.each(PAYABLE)('%s arrives, and takes out of the wallet what it says', async (kind) => {
    const { id, coin, feeAsset, statuses, target } = paid.get(kind)!;
    const { txid, amount, network_fee, error } = await shop.payout(id);
    const isFinalAtOnce = coin.finalConfirmations === 1;
    const stages = coin.chain === 'lightning' ? ['complete'] : ['pending', ...(isFinalAtOnce ? [] : ['confirmed']), 'complete'];
    expect(statuses.filter((status) => status !== 'queued')).toEqual(['new', ...stages]);
    expect(await shop.events(id)).toEqual(['payout_pending', 'payout_confirmed', 'payout_complete']);
    expect([error, amount]).toEqual([
      null,
      { total: AMOUNT, network_fee: expect.stringMatching(/[1-9]/), network_fee_currency: kindOf(feeAsset)!.symbol },
    ]);
    // §2.6: satoshi per byte, which other chains do not have.
    expect(network_fee).toEqual(['utxo', 'liquid'].includes(CHAINS[coin.chain].family) ? expect.any(Number) : null);
    expect(await arrived(target.watchKeys[0]!)).toEqual([{ txid, asset: coin.asset, amount: AMOUNT }]);
    const { rows } = await sql<{ currency: string; sum: string; wallet: string }>`
      select currency, trim_scale(sum(amount))::text as sum, trim_scale(sum(amount) filter (where book = 'wallet'))::text as wallet
      from posting where resource_id = ${id} group by currency`.execute(shop.context.db);
    const spent = new Map([[coin.asset, parseAmount(AMOUNT)]]);
    spent.set(feeAsset, (spent.get(feeAsset) ?? 0n) + parseAmount(amount.network_fee));
    expect(new Map(rows.map(({ currency, sum, wallet }) => [currency, { sum, wallet }]))).toEqual(
      new Map([...spent].map(([currency, cost]) => [currency, { sum: '0', wallet: `-${formatAmount(cost)}` }])),
    );
  });

  it.each(COINS.map(({ kind }) => kind))('%s to an invoice of ours pays it', async (kind) => {
    const { id, invoice, target } = own.get(kind)!;
    const { status, txid } = await shop.payout(id);
    expect(status).toBe('complete');
    expect(await shop.transactions(invoice.id)).toMatchObject([
      { txid, kind, status: 'complete', amount: { paid: { amount: AMOUNT, currency: coinOf(kind).symbol } } },
    ]);
    expect(await arrived(target.watchKeys[0]!)).toHaveLength(1);
  });

  it('all of them leaves in the wallets what was not sent', async () => {
    const left = new Map<string, bigint>();
    const add = (asset: string, amount: bigint): void => void left.set(asset, (left.get(asset) ?? parseAmount(FUNDS)) + amount);
    for (const { id, coin, feeAsset } of [...paid.values(), ...own.values()]) {
      add(coin.asset, -parseAmount(AMOUNT));
      add(feeAsset, -parseAmount((await shop.payout(id)).amount.network_fee));
    }
    for (const { coin } of own.values()) add(coin.asset, parseAmount(AMOUNT));
    for (const [asset, available] of left)
      expect([asset, await shop.holdings(asset)]).toEqual([asset, { available: formatAmount(available), reserved: '0' }]);
  });

  it('JAMBO-SOL is refused: nobody knows which token it is', async () => {
    const recipients = [{ amount: AMOUNT, currency: 'USD', address: ADDRESS.SOL }];
    await expect(shop.payOut({ kind: 'JAMBO-SOL', recipients })).rejects.toMatchObject({ reason: 'CurrencyNotEnabled' });
  });
});
