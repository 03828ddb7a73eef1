import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { availableOf, floorsOf } from './rule-store.ts';

/** What an account has at one moment. */
export interface Holdings {
  available(walletId: string, asset: string): Amount;
  /** What an automatic funding keeps there. */
  kept(walletId: string, asset: string): Amount;
  /** What is available without that: two rules of one coin would otherwise trade back and forth for ever. */
  spare(walletId: string, asset: string): Amount;
  /** Where there is the most to spare in value, the largest first. */
  largest(rates: RateSet): { walletId: string; kind: Kind }[];
}

export async function readHoldings({ db }: Context, accountId: string): Promise<Holdings> {
  const [balances, floors] = await Promise.all([availableOf(db, accountId), floorsOf(db, accountId)]);
  const available = new Map(balances.map(({ wallet_id, currency, amount }) => [`${wallet_id}:${currency}`, parseAmount(amount)]));
  const kept = new Map(floors.map(({ to_wallet_id, to_asset, keep_amount }) => [`${to_wallet_id}:${to_asset}`, parseAmount(keep_amount)]));
  const of = (amounts: Map<string, Amount>, walletId: string, asset: string): Amount => amounts.get(`${walletId}:${asset}`) ?? 0n;
  const spare = (walletId: string, asset: string): Amount => {
    const left = of(available, walletId, asset) - of(kept, walletId, asset);
    return left > 0n ? left : 0n;
  };
  return {
    available: (walletId, asset) => of(available, walletId, asset),
    kept: (walletId, asset) => of(kept, walletId, asset),
    spare,
    largest: ({ usd }) =>
      balances
        .flatMap(({ wallet_id: walletId, currency }) => {
          const kind = kindOf(currency);
          const value = kind === undefined ? 0n : spare(walletId, currency) * (usd.get(kind.symbol) ?? 0n);
          return kind === undefined || value === 0n ? [] : [{ walletId, kind, value }];
        })
        .toSorted((a, b) => (a.value > b.value ? -1 : a.value < b.value ? 1 : 0))
        .map(({ walletId, kind }) => ({ walletId, kind })),
  };
}
