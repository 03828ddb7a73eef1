import { formatAmount, parseAmount, roundDown } from '@crypto-checkout/protocol/amount';
import { CURRENCIES, currencyOf, withCurrencyDecimals } from '@crypto-checkout/protocol/currency';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { convert } from '../rate/convert.ts';

const DEFAULT_CURRENCY = 'USD';
/** Invoices that decide about the currency. */
const NEWEST = 100;

export interface Valuation {
  currency: string;
  /** Null without a rate. */
  worthOf(amount: string, symbol: string): string | null;
  /** The sum of what has a worth; null when nothing has. */
  sum(balances: readonly { worth: string | null }[]): string | null;
}

/** Values amounts at the current rates, in the currency of the account. */
export async function valuationOf({ db, rates }: Context, accountId: string): Promise<Valuation> {
  const [currency, current] = await Promise.all([
    usualCurrency(db, accountId),
    rates.current().catch(() => null),
  ]);
  const { decimals } = currencyOf(currency)!;
  return {
    currency,
    worthOf(amount, symbol) {
      if (current === null) return null;
      try {
        const exact = convert(parseAmount(amount), symbol, currency, current, 18, 'down');
        return withCurrencyDecimals(formatAmount(roundDown(exact, decimals)), currency);
      } catch {
        return null;
      }
    },
    sum(balances) {
      const known = balances.flatMap(({ worth }) => (worth === null ? [] : [parseAmount(worth)]));
      if (known.length === 0) return null;
      const total = known.reduce((sum, worth) => sum + worth, 0n);
      return withCurrencyDecimals(formatAmount(total), currency);
    },
  };
}

/** The fiat currency that the newest invoices ask for most. */
async function usualCurrency(db: Db, accountId: string): Promise<string> {
  const symbols = CURRENCIES.filter(({ kind }) => kind === 'fiat').map(({ symbol }) => symbol);
  const { rows } = await sql<{ currency: string }>`
    select requested_currency as currency from (
      select requested_currency from invoice where account_id = ${accountId}
      order by created_at desc limit ${NEWEST}) newest
    where requested_currency = any(${symbols}::text[])
    group by 1 order by count(*) desc, 1 limit 1`.execute(db);
  return rows[0]?.currency ?? DEFAULT_CURRENCY;
}
