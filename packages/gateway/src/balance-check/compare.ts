import { coinName } from '../alarm/coin-name.ts';
import { raiseAlarmOnce } from '../alarm/raise.ts';
import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { AddressBalance, ChainAdapter } from '@crypto-checkout/chains/adapter';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { saveUnassigned } from '../unassigned/store.ts';
import { addressOf } from './address-of.ts';
import { saveFound, takeBackExplained } from './explain.ts';
import { FOUND, foundSoFar, knownBalances, type KnownBalance } from './known-balances.ts';

/** The balance of an address, and the amounts that the books have for it. */
export interface Difference extends KnownBalance {
  chain: ChainId;
  place: 'deposit' | 'payout';
  /** Whether coins went from there to a cold address, and may come back. */
  hasColdCoins: boolean;
  balance: Amount;
  /** Of the balance and of the books. */
  height: number;
}

/**
 * Compares the balances of deposit addresses with the books, at the newest final block.
 * @returns what differs, and what waits for an operator; null when nothing can be compared now
 * @throws UnavailableError when the node does not answer
 */
export async function compareBalances(
  { db }: Pick<Context, 'db'>,
  adapter: ChainAdapter,
  watchKeys: readonly string[],
): Promise<Difference[] | null> {
  const { chain } = adapter;
  const { finalConfirmations } = CHAINS[chain];
  const books = await knownBalances(db, chain, finalConfirmations, watchKeys);
  if (books === null) return null;
  const addresses = [...new Set(books.balances.map(({ watchKey }) => addressOf(watchKey)))];
  if (addresses.length === 0) return [];
  const balances = (await adapter.balancesAt?.(books.height, addresses)) ?? null;
  if (balances === null) return null;
  return balances.map(({ address, asset, amount }) =>
    differenceOf({ chain, address, asset, balance: amount, height: books.height }, books.balances),
  );
}

function differenceOf(
  {
    chain,
    address,
    asset,
    balance,
    height,
  }: Omit<AddressBalance, 'amount'> & {
    chain: ChainId;
    balance: Amount;
    height: number;
  },
  books: readonly KnownBalance[],
): Difference {
  const own = books.filter(({ watchKey }) => addressOf(watchKey) === address);
  const known = own.find((one) => one.asset === asset);
  const { watchKey } = own[0]!;
  return {
    known: 0n,
    found: 0n,
    open: 0n,
    ...known,
    chain,
    watchKey,
    asset,
    balance,
    height,
    place: 'deposit',
    hasColdCoins: false,
  };
}

/**
 * Lists money that no known payment explains, for an operator, and takes it back when a payment
 * explains it by now. The key is the address and what was found there before, so the same money is
 * listed once. An address that holds less than the books say raises an alarm.
 */
export async function recordDifferences(
  context: Context,
  differences: readonly Difference[],
): Promise<void> {
  for (const difference of differences) {
    const { balance, known, open } = difference;
    const isExplained =
      open > 0n && (await transact(context.db, (trx) => takeBackExplained(trx, difference)));
    // The next comparison lists the rest.
    if (isExplained) continue;
    if (balance > known)
      await transact(context.db, (trx) => listFound(trx, context, difference, balance - known));
    else if (balance < known && open > 0n)
      await transact(context.db, (trx) => takeBack(trx, difference, known - balance));
    else if (balance < known) await raiseAlarmOnce(context, difference.chain, shortage(difference));
  }
}

const REASON = 'the balance is higher than the known payments to the address';
/** The wallets still have it in their balances. */
const MAYBE_COLD = `${REASON}: dismiss it if it was swept to a cold address before and came back`;

async function listFound(
  trx: Trx,
  { clock }: Context,
  { chain, watchKey, asset, found, hasColdCoins, height }: Difference,
  amount: Amount,
): Promise<void> {
  const address = addressOf(watchKey);
  // Another process listed it, or an operator decided, since the comparison began.
  if ((await foundSoFar(trx, chain, watchKey, asset)) !== found) return;
  const total = `${FOUND}${address}:${asset}:${formatAmount(found)}`;
  const key = await freeKey(trx, chain, total);
  const reason = hasColdCoins ? MAYBE_COLD : REASON;
  const money = { key, txid: null, asset, address, amount, reason, height: null };
  await saveUnassigned(trx, chain, money, timestamp(clock.now()));
  await saveFound(trx, chain, { key, address, asset, height });
}

/** Rows that were taken back leave the total that a later one has reached again. */
async function freeKey(trx: Trx, chain: ChainId, key: string): Promise<string> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select observation_key from unassigned where chain = ${chain}
      union all select observation_key from transaction where chain = ${chain}) k
    where k.observation_key = ${key} or starts_with(k.observation_key, ${`${key}#`})`.execute(trx);
  const count = rows[0]?.count ?? 0;
  return count === 0 ? key : `${key}#${count}`;
}

/** Removes waiting rows, newest first, until the rest is on the address. */
async function takeBack(
  trx: Trx,
  { chain, watchKey, asset }: Difference,
  amount: Amount,
): Promise<void> {
  await sql`
    delete from unassigned where id in (
      select id from (
        select id, sum(amount) over (order by seen_at desc, id) - amount as before from unassigned
        where chain = ${chain} and address = ${addressOf(watchKey)} and asset = ${asset} and settled_at is null
          and starts_with(observation_key, ${FOUND})) newest
      where before < ${formatAmount(amount)}::numeric)`.execute(trx);
}

/** The same as long as the same money is missing, whatever else comes and goes: one alarm. */
const shortage = ({ place, watchKey, asset, balance, known }: Difference): string =>
  `The ${place} address ${addressOf(watchKey)} holds ${formatAmount(known - balance)} ${coinName(asset)} less than the books say`;
