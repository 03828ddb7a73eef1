import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { availableOf, fundingFloors } from './rule-store.ts';

/** The available balances of an account. */
export interface Balances {
  available(walletId: string, asset: string): Amount;
  /** The amount that an automatic funding keeps in the wallet. */
  reserved(walletId: string, asset: string): Amount;
  /**
   * Available minus reserved. Without the reserve, two rules of one coin would trade back and forth
   * forever.
   */
  surplus(walletId: string, asset: string): Amount;
  /** Balances with a surplus, by value, largest first. */
  bySurplusValue(rates: RateSet): { walletId: string; kind: Kind }[];
}

export async function readBalances({ db }: Context, accountId: string): Promise<Balances> {
  const [balances, floors] = await Promise.all([
    availableOf(db, accountId),
    fundingFloors(db, accountId),
  ]);
  const available = new Map(
    balances.map(({ wallet_id, currency, amount }) => [
      `${wallet_id}:${currency}`,
      parseAmount(amount),
    ]),
  );
  const reserved = new Map(
    floors.map(({ to_wallet_id, to_asset, keep_amount }) => [
      `${to_wallet_id}:${to_asset}`,
      parseAmount(keep_amount),
    ]),
  );
  const of = (amounts: Map<string, Amount>, walletId: string, asset: string): Amount =>
    amounts.get(`${walletId}:${asset}`) ?? 0n;
  const surplus = (walletId: string, asset: string): Amount => {
    const left = of(available, walletId, asset) - of(reserved, walletId, asset);
    return left > 0n ? left : 0n;
  };
  return {
    available: (walletId, asset) => of(available, walletId, asset),
    reserved: (walletId, asset) => of(reserved, walletId, asset),
    surplus,
    bySurplusValue: ({ usd }) =>
      balances
        .flatMap(({ wallet_id: walletId, currency }) => {
          const kind = kindOf(currency);
          const value =
            kind === undefined ? 0n : surplus(walletId, currency) * (usd.get(kind.symbol) ?? 0n);
          return kind === undefined || value === 0n ? [] : [{ walletId, kind, value }];
        })
        .toSorted((a, b) => (a.value > b.value ? -1 : a.value < b.value ? 1 : 0))
        .map(({ walletId, kind }) => ({ walletId, kind })),
  };
}
