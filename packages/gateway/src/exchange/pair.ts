import { decimalsOf, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { requireOffered } from '../profile/disabled-kinds.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { invalid, unknownKind } from '../http/invalid.ts';
import type { Exchange, Price } from './exchange.ts';
import { TOO_LARGE } from './price.ts';

/** One side of a conversion: a coin in a wallet. */
export interface Side {
  walletId: string;
  kind: Kind;
}

export interface Pair {
  from: Side;
  to: Side;
  exchange: Exchange;
}

export interface PairPayload {
  from_wallet: string;
  from_kind: string;
  to_wallet: string;
  to_kind: string;
  exchange?: string | null | undefined;
}

/** Columns of a pair in the tables of conversions and rules. */
export function pairColumns(pair: Pair) {
  const { walletId, kind } = pair.from;
  return {
    from_wallet_id: walletId,
    from_kind: kind.kind,
    from_asset: kind.asset,
    ...targetColumns(pair),
  };
}

/** The columns that an update may change. */
export function targetColumns({ to, exchange }: Pair) {
  return {
    to_wallet_id: to.walletId,
    to_kind: to.kind.kind,
    to_asset: to.kind.asset,
    exchange: exchange.id,
  };
}

/**
 * Validates a pair: both wallets belong to the account and hold the coins, and the exchange trades
 * them.
 * @throws ServiceError `NotFound` for an unknown wallet or exchange, `ValidationError` for a pair
 * that does not match
 */
export async function readPair(
  context: Context,
  accountId: string,
  payload: PairPayload,
): Promise<Pair> {
  const from = await readSide(context, accountId, payload, 'from');
  const to = await readSide(context, accountId, payload, 'to');
  if (from.walletId === to.walletId && from.kind.asset === to.kind.asset)
    throw invalid(
      'to_kind',
      `must be another coin than from_kind, or in another wallet, not ${to.kind.kind}`,
    );
  return {
    from,
    to,
    exchange: readExchange(context, payload.exchange ?? null, from.kind, to.kind),
  };
}

async function readSide(
  context: Context,
  accountId: string,
  payload: PairPayload,
  side: 'from' | 'to',
): Promise<Side> {
  const field = `${side}_wallet` as const;
  const wallet = await findWallet(context, accountId, payload[field]);
  if (wallet === undefined)
    throw new ServiceError('NotFound', `There is no wallet with this ${field}.`, {
      errors: [{ field, message: 'must be the id of a wallet of this account' }],
    });
  return { walletId: wallet.id, kind: readKind(payload[`${side}_kind`], wallet.chain, side) };
}

async function findWallet(
  { db }: Context,
  accountId: string,
  id: string,
): Promise<{ id: string; chain: string } | undefined> {
  if (!isUuid(id)) return undefined;
  return db
    .selectFrom('wallet')
    .select(['id', 'chain'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

function readKind(name: string, walletChain: string, side: 'from' | 'to'): Kind {
  const kind = kindOf(name);
  if (kind === undefined) throw unknownKind(`${side}_kind`, name);
  requireOffered(kind, `${side}_kind`);
  const holder = CHAINS[kind.chain].walletChain;
  if (holder === walletChain) return kind;
  throw invalid(
    `${side}_kind`,
    `must be held by ${side}_wallet: ${name} is held by the wallet of ${CHAINS[holder].name}`,
  );
}

function readExchange({ exchanges }: Context, id: string | null, from: Kind, to: Kind): Exchange {
  const exchange =
    id === null ? [...exchanges.values()].find((each) => each.trades(from, to)) : exchanges.get(id);
  if (exchange?.trades(from, to)) return exchange;
  if (exchange !== undefined)
    throw invalid('exchange', `does not trade ${from.kind} for ${to.kind}: ${exchange.id}`);
  if (id === null)
    throw invalid(
      'to_kind',
      `can't be bought with ${from.kind}: no exchange here trades this pair`,
    );
  throw new ServiceError('NotFound', 'There is no exchange with this id.', {
    errors: [{ field: 'exchange', message: `must be one of ${[...exchanges.keys()].join(', ')}` }],
  });
}

/** @throws ServiceError `ValidationError` for more decimals than the coin has */
export function readCoins(text: string, { kind, symbol, decimals }: Kind, field: string): Amount {
  if (decimalsOf(text) > decimals)
    throw invalid(field, `may have at most ${decimals} decimals, as ${symbol} (${kind}) has`);
  return parseAmount(text);
}

/** @throws ServiceError `ValidationError` when the result is zero or has more than 18 digits */
export async function quoteSale({ exchange, from, to }: Pair, sell: Amount): Promise<Price> {
  const price = await exchange.quote({ from: from.kind, to: to.kind, sell });
  if (price.bought === 0n)
    throw invalid(
      'amount',
      `is too small: it is worth less than the smallest unit of ${to.kind.symbol}`,
    );
  if (price.bought < TOO_LARGE) return price;
  throw invalid('amount', `is worth more than 18 digits of ${to.kind.symbol}`);
}
