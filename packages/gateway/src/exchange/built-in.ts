import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type Kind } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';
import type { Exchange, Order, Outcome } from './exchange.ts';
import { priceOf, ratesOf, type Rates } from './price.ts';

/** Id of the built-in exchange. */
export const BUILT_IN = 'built-in';

type ExchangeContext = Pick<Context, 'db' | 'rates' | 'clock' | 'chains'> & {
  config: Pick<Context['config'], 'exchangeSpread'>;
};

/**
 * The built-in exchange converts at the current rate less `EXCHANGE_SPREAD` percent, in the ledger
 * only. It holds no coins, so it trades simulated coins only. It also moves a coin between wallets
 * of the same asset, on every chain.
 */
export function createBuiltInExchange(context: ExchangeContext): Exchange {
  const isSimulated = ({ chain }: Kind): boolean =>
    context.chains.get(CHAINS[chain].walletChain)?.source === 'sandbox';
  const pricesOf = async (from: Kind, to: Kind): Promise<Rates> =>
    from.asset === to.asset
      ? { from: ONE, to: ONE }
      : ratesOf(await context.rates.current(), from, to);
  const exchange: Exchange = {
    id: BUILT_IN,
    title: 'Built-in book',
    trades: (from, to) => from.asset === to.asset || (isSimulated(from) && isSimulated(to)),
    quote: async (request) =>
      priceOf(request, await pricesOf(request.from, request.to), context.config.exchangeSpread),
    async execute(order) {
      if (!exchange.trades(order.from, order.to))
        return {
          state: 'failed',
          reason: `The built-in exchange does not trade ${order.from.kind} for ${order.to.kind} here`,
        };
      const prices = await pricesOf(order.from, order.to);
      const { bought } = priceOf(order, prices, context.config.exchangeSpread);
      if (bought === 0n)
        return {
          state: 'failed',
          reason: `The amount is worth less than the smallest unit of ${order.to.symbol}`,
        };
      await write(context, order, bought, prices);
      return (
        (await read(context, order)) ?? {
          state: 'unknown',
          reason: 'The order could not be read back',
        }
      );
    },
    lookUp: async (order) => (await read(context, order)) ?? { state: 'absent' },
  };
  return exchange;
}

const ONE = parseAmount('1');

/** Inserts once per key: of two concurrent writers, both read the first one's row afterwards. */
async function write(
  { db, clock }: ExchangeContext,
  { key, sell, from, to }: Order,
  bought: Amount,
  prices: Rates,
): Promise<void> {
  await sql`
    insert into exchange_order (key, sold, bought, from_kind, to_kind, from_usd, to_usd, created_at)
    values (${key}, ${formatAmount(sell)}, ${formatAmount(bought)}, ${from.kind}, ${to.kind}, ${formatAmount(prices.from)},
      ${formatAmount(prices.to)}, ${timestamp(clock.now())})
    on conflict (key) do nothing`.execute(db);
}

async function read({ db }: ExchangeContext, { key }: Order): Promise<Outcome | null> {
  const { rows } = await sql<{
    bought: string;
  }>`select bought::text as bought from exchange_order where key = ${key}`.execute(db);
  return rows[0] ? { state: 'done', bought: parseAmount(rows[0].bought) } : null;
}
