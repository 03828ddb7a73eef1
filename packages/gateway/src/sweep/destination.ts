import { networkName } from '../alarm/coin-name.ts';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { Sweeping } from '@crypto-checkout/chains/sender';
import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { convert } from '../rate/convert.ts';
import { raiseNotSwept } from './alarms.ts';
import type { Deposit } from './store.ts';

/**
 * Where a deposit is swept to: the payout address up to `HOT_LIMIT`, the cold address beyond. With
 * a cold address and no limit, everything goes there.
 * @returns null when it stays: there is no cold address, and the payout address holds enough
 * @throws UnavailableError if the node does not answer
 */
export async function destinationOf(
  context: Context,
  { payoutAddress }: Sweeping,
  { chain, asset, amount }: Pick<Deposit, 'chain' | 'asset' | 'amount'>,
): Promise<string | null> {
  const { hotLimit, sweepTo } = context.config;
  const cold = sweepTo[chain] ?? null;
  const adapter = context.chains.get(chain);
  if (hotLimit === null || adapter?.source !== 'node') return cold ?? payoutAddress;
  const held = await readHotWallet(context.db, adapter, payoutAddress);
  if (held !== null) {
    const value = await usdValueOf(context, [...held, { asset, amount: parseAmount(amount) }]);
    if (value !== null && value <= hotLimit) return payoutAddress;
  }
  if (cold === null)
    await raiseNotSwept(
      context,
      chain,
      `the payout address ${payoutAddress} would hold more than HOT_LIMIT, ${formatAmount(hotLimit)} USD, and SWEEP_TO names no cold address of ${networkName(chain)}`,
    );
  return cold;
}

interface Holding {
  asset: string;
  amount: Amount;
}

/**
 * Holdings of the payout address, with those that sweeps are bringing to it. A sweep whose block
 * the books lack counts twice: too much rather than too little.
 * @returns null when the node has no balances
 */
async function readHotWallet(
  db: Db,
  adapter: ChainAdapter,
  payoutAddress: string,
): Promise<Holding[] | null> {
  const incoming = await sweepsToPayoutAddress(db, adapter.chain);
  const { tip } = await adapter.health();
  if (tip === null) return null;
  const balances = (await adapter.balancesAt?.(tip, [payoutAddress])) ?? null;
  return balances === null ? null : [...balances, ...incoming];
}

async function sweepsToPayoutAddress(db: Db, chain: ChainId): Promise<Holding[]> {
  const { rows } = await sql<{ asset: string; amount: string }>`
    select asset, sum(amount)::text as amount from sweep
    where chain = ${chain} and status in ('topping_up', 'sending') and recipient is null and block_height is null
    group by asset`.execute(db);
  return rows.map(({ asset, amount }) => ({ asset, amount: parseAmount(amount) }));
}

/** @returns null without an exchange rate of one of the coins */
async function usdValueOf(
  { rates }: Context,
  holdings: readonly Holding[],
): Promise<Amount | null> {
  try {
    const current = await rates.current();
    return holdings
      .filter(({ amount }) => amount > 0n)
      .reduce((sum, { asset, amount }) => {
        const { symbol } = KINDS.find((kind) => kind.asset === asset)!;
        return sum + convert(amount, symbol, 'USD', current, 18, 'up');
      }, 0n);
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'RateUnavailable') return null;
    throw error;
  }
}
