import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf } from '@crypto-checkout/protocol/kind';
import { presentConversion } from '../../src/conversion/present.ts';
import { payoutFunding } from '../../src/payout/sending/conversion-funding.ts';
import { processPayouts } from '../../src/payout/sending/process.ts';
import { processConversions } from '../../src/conversion/process.ts';
import { findConversion } from '../../src/conversion/store.ts';
import { requireBooks, type TestShopOptions } from './shop.ts';
import { payoutShop, type PayoutShop } from './payouts.ts';
import { runAutomaticRules } from '../../src/automation/run-rules.ts';
import type { Exchange, Order, Outcome } from '../../src/exchange/exchange.ts';

export type ShownConversion = ReturnType<typeof presentConversion>;

export interface TradeShop extends PayoutShop {
  /** Id of the wallet that holds a kind. */
  wallet(kind: string): string;
  /** The pair of a create payload. Default: BTC to LTC. */
  pair(
    from?: string,
    to?: string,
  ): { from_wallet: string; from_kind: string; to_wallet: string; to_kind: string };
  /** The available and the reserved balance. */
  has(kind: string): Promise<[available: string, reserved: string]>;
  conversion(id: string): Promise<ShownConversion>;
  /** Runs the conversion worker once with everything due, then checks the ledger. */
  trade(): Promise<void>;
  /** Advances to the next period and runs the automatic rules and their conversions. */
  nextPeriod(): Promise<void>;
  /** The built-in exchange, with scriptable answers. */
  exchange: ScriptedExchange;
}

/** The built-in exchange with scripted answers and recorded calls. */
export interface ScriptedExchange extends Exchange {
  /** Response to an order. Default: as the built-in exchange. */
  answer: ((order: Order, book: Exchange) => Promise<Outcome>) | null;
  /** Response to a lookup. Default: as the built-in exchange. */
  found: ((order: Order, book: Exchange) => Promise<Outcome | { state: 'absent' }>) | null;
  /** Keys in order of arrival. */
  executed: string[];
  lookedUp: string[];
}

export async function tradeShop(options: TestShopOptions = {}): Promise<TradeShop> {
  const shop = await payoutShop({
    chains: ['bitcoin', 'litecoin', 'dogecoin', 'ethereum'],
    ...options,
  });
  const { context } = shop;
  const exchange = scripted([...context.exchanges.values()][0]!);
  context.exchanges = new Map([[exchange.id, exchange]]);
  const wallets = new Map(
    (await context.db.selectFrom('wallet').selectAll().execute()).map(({ chain, id }) => [
      chain,
      id,
    ]),
  );
  const wallet = (kind: string): string => wallets.get(CHAINS[kindOf(kind)!.chain].walletChain)!;
  const due = async (): Promise<void> => {
    context.clock.advance(301_000);
    await processConversions(context, { payoutFunding: payoutFunding(context) });
    await requireBooks(context);
  };
  return {
    ...shop,
    wallet,
    // A payout that lacks funds creates a pending conversion. The conversion worker executes it,
    // then the payout is sent.
    async work() {
      await processPayouts(context);
      await processConversions(context, { payoutFunding: payoutFunding(context) });
      await shop.work();
    },
    pair: (from = 'BTC', to = 'LTC') => ({
      from_wallet: wallet(from),
      from_kind: from,
      to_wallet: wallet(to),
      to_kind: to,
    }),
    async has(kind) {
      const rows = await context.db
        .selectFrom('balance')
        .select(['bucket', 'amount'])
        .where('wallet_id', '=', wallet(kind))
        .where('currency', '=', kindOf(kind)!.asset)
        .execute();
      const of = (bucket: string): string =>
        formatAmount(parseAmount(rows.find((row) => row.bucket === bucket)?.amount ?? '0'));
      return [of('available'), of('reserved')];
    },
    conversion: async (id) =>
      presentConversion(context, (await findConversion(context.db, shop.accountId, id))!),
    trade: due,
    async nextPeriod() {
      context.clock.advance(context.config.automationIntervalMinutes * 60_000);
      await runAutomaticRules(context);
      await due();
    },
    exchange,
  };
}

function scripted(book: Exchange): ScriptedExchange {
  const exchange: ScriptedExchange = {
    ...book,
    answer: null,
    found: null,
    executed: [],
    lookedUp: [],
    async execute(order) {
      exchange.executed.push(order.key);
      return exchange.answer === null ? book.execute(order) : exchange.answer(order, book);
    },
    async lookUp(order) {
      exchange.lookedUp.push(order.key);
      return exchange.found === null ? book.lookUp(order) : exchange.found(order, book);
    },
  };
  return exchange;
}

/** The number of booked sales of a conversion. */
export async function salesOf(
  { context }: Pick<TradeShop, 'context'>,
  id: string,
): Promise<number> {
  const rows = await context.db
    .selectFrom('posting')
    .select('entry_id')
    .distinct()
    .where('resource_id', '=', id)
    .where('reason', '=', 'conversion_complete')
    .execute();
  return rows.length;
}
