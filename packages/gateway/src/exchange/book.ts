import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type Kind } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';
import type { Exchange, Order, Outcome } from './exchange.ts';
import { priceOf, ratesOf, type Rates } from './price.ts';

/** Id of the built-in book. */
export const BUILT_IN = 'built-in';

type Around = Pick<Context, 'db' | 'rates' | 'clock' | 'chains'> & { config: Pick<Context['config'], 'exchangeSpread'> };

/**
 * The exchange that needs no market: it takes and gives at the rate of the moment, less `EXCHANGE_SPREAD` percent. It trades
 * simulated coins only, because it has none: coins of a real chain have to be bought with one. The same coin it moves anywhere,
 * from one wallet's books to another's.
 */
export function createBook(around: Around): Exchange {
  const isSimulated = ({ chain }: Kind): boolean => around.chains.get(CHAINS[chain].walletChain)?.source === 'sandbox';
  const pricesOf = async (from: Kind, to: Kind): Promise<Rates> =>
    from.asset === to.asset ? { from: ONE, to: ONE } : ratesOf(await around.rates.current(), from, to);
  const book: Exchange = {
    id: BUILT_IN,
    title: 'Built-in book',
    trades: (from, to) => from.asset === to.asset || (isSimulated(from) && isSimulated(to)),
    quote: async (request) => priceOf(request, await pricesOf(request.from, request.to), around.config.exchangeSpread),
    async execute(order) {
      if (!book.trades(order.from, order.to))
        return { state: 'failed', reason: `The built-in book does not trade ${order.from.kind} for ${order.to.kind} here` };
      const prices = await pricesOf(order.from, order.to);
      const { bought } = priceOf(order, prices, around.config.exchangeSpread);
      if (bought === 0n) return { state: 'failed', reason: `The amount is worth less than the least part of one ${order.to.symbol}` };
      await write(around, order, bought, prices);
      return (await read(around, order)) ?? { state: 'unknown', reason: 'The order can not be read' };
    },
    lookUp: async (order) => (await read(around, order)) ?? { state: 'absent' },
  };
  return book;
}

const ONE = parseAmount('1');

/** Once for each key: of two that write it, both then read the first one's. */
async function write({ db, clock }: Around, { key, sell, from, to }: Order, bought: Amount, prices: Rates): Promise<void> {
  await sql`
    insert into exchange_order (key, sold, bought, from_kind, to_kind, from_usd, to_usd, created_at)
    values (${key}, ${formatAmount(sell)}, ${formatAmount(bought)}, ${from.kind}, ${to.kind}, ${formatAmount(prices.from)},
      ${formatAmount(prices.to)}, ${timestamp(clock.now())})
    on conflict (key) do nothing`.execute(db);
}

async function read({ db }: Around, { key }: Order): Promise<Outcome | null> {
  const { rows } = await sql<{ bought: string }>`select bought::text as bought from exchange_order where key = ${key}`.execute(db);
  return rows[0] ? { state: 'done', bought: parseAmount(rows[0].bought) } : null;
}
