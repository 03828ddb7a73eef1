import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf } from '@crypto-checkout/protocol/kind';
import { presentConversion } from '../conversion/present.ts';
import { processConversions } from '../conversion/process.ts';
import { findConversion } from '../conversion/store.ts';
import { requireBooks, type TestShopOptions } from '../invoice/test-shop.ts';
import { payoutShop, type PayoutShop } from '../payout/test-payouts.ts';
import { automate } from './automate.ts';
import type { Exchange, Order, Outcome } from './exchange.ts';

export type ShownConversion = ReturnType<typeof presentConversion>;

export interface TradeShop extends PayoutShop {
  /** Id of the wallet that holds a kind. */
  wallet(kind: string): string;
  /** What a create names: from 0.1 BTC to LTC, unless told otherwise. */
  pair(from?: string, to?: string): { from_wallet: string; from_kind: string; to_wallet: string; to_kind: string };
  /** What is available, and what is held. */
  has(kind: string): Promise<[available: string, reserved: string]>;
  conversion(id: string): Promise<ShownConversion>;
  /** What the worker does, once, at a time when everything that waits is due; then the books are checked. */
  trade(): Promise<void>;
  /** The next period of the automatic rules, and what follows from it. */
  nextPeriod(): Promise<void>;
  /** Puts another exchange in the place of the built-in book's. */
  exchange: ScriptedExchange;
}

/** The built-in book, told to lose its tongue. */
export interface ScriptedExchange extends Exchange {
  /** How each order is answered; by default as the book does. */
  answer: ((order: Order, book: Exchange) => Promise<Outcome>) | null;
  /** How each look-up is answered. */
  found: ((order: Order, book: Exchange) => Promise<Outcome | { state: 'absent' }>) | null;
  /** Keys in the order in which they came. */
  executed: string[];
  lookedUp: string[];
}

export async function tradeShop(options: TestShopOptions = {}): Promise<TradeShop> {
  const shop = await payoutShop({ chains: ['bitcoin', 'litecoin', 'dogecoin', 'ethereum'], ...options });
  const { context } = shop;
  const exchange = scripted([...context.exchanges.values()][0]!);
  context.exchanges = new Map([[exchange.id, exchange]]);
  const wallets = new Map((await context.db.selectFrom('wallet').selectAll().execute()).map(({ chain, id }) => [chain, id]));
  const wallet = (kind: string): string => wallets.get(CHAINS[kindOf(kind)!.chain].walletChain)!;
  const due = async (): Promise<void> => {
    context.clock.advance(301_000);
    await processConversions(context);
    await requireBooks(context);
  };
  return {
    ...shop,
    wallet,
    pair: (from = 'BTC', to = 'LTC') => ({ from_wallet: wallet(from), from_kind: from, to_wallet: wallet(to), to_kind: to }),
    async has(kind) {
      const rows = await context.db
        .selectFrom('balance')
        .select(['bucket', 'amount'])
        .where('wallet_id', '=', wallet(kind))
        .where('currency', '=', kindOf(kind)!.asset)
        .execute();
      const of = (bucket: string): string => formatAmount(parseAmount(rows.find((row) => row.bucket === bucket)?.amount ?? '0'));
      return [of('available'), of('reserved')];
    },
    conversion: async (id) => presentConversion(context, (await findConversion(context.db, shop.accountId, id))!),
    trade: due,
    async nextPeriod() {
      context.clock.advance(context.config.automationIntervalMinutes * 60_000);
      await automate(context);
      await due();
    },
    exchange,
  };
}

function scripted(book: Exchange): ScriptedExchange {
  const made: ScriptedExchange = {
    ...book,
    answer: null,
    found: null,
    executed: [],
    lookedUp: [],
    async execute(order) {
      made.executed.push(order.key);
      return made.answer === null ? book.execute(order) : made.answer(order, book);
    },
    async lookUp(order) {
      made.lookedUp.push(order.key);
      return made.found === null ? book.lookUp(order) : made.found(order, book);
    },
  };
  return made;
}

/** How often a conversion was sold for, by its postings: never more than once. */
export async function salesOf({ context }: Pick<TradeShop, 'context'>, id: string): Promise<number> {
  const rows = await context.db
    .selectFrom('posting')
    .select('entry_id')
    .distinct()
    .where('resource_id', '=', id)
    .where('reason', '=', 'conversion_complete')
    .execute();
  return rows.length;
}
