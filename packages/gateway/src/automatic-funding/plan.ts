import type { Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { termsOf, type Terms } from '../automatic-conversion/plan.ts';
import type { Context } from '../context.ts';
import type { Purchase } from '../exchange/automate.ts';
import type { Holdings } from '../exchange/holdings.ts';
import { readPair } from '../exchange/pair.ts';
import type { RuleRow } from '../exchange/rule-store.ts';

/** §2.11: what `keep` exceeds by `min` or more, at most `max`. */
export function shortfall(available: Amount, { keep, min, max }: Terms): Amount {
  const below = keep - available;
  if (below <= 0n || below < min) return 0n;
  return below < max ? below : max;
}

/**
 * Refills from the named wallet, or, when that one has too little, from the one with the largest balance; from none that has too
 * little itself. What another funding keeps there stays there.
 * @returns null when nothing lacks, or nobody has enough
 */
export async function planFunding(context: Context, rule: RuleRow, holdings: Holdings): Promise<Purchase | null> {
  const kind = kindOf(rule.to_kind)!;
  const buy = shortfall(holdings.available(rule.to_wallet_id, kind.asset), termsOf(rule));
  if (buy === 0n) return null;
  const named = await priceFrom(context, rule, { walletId: rule.from_wallet_id, kind: kindOf(rule.from_kind)! }, buy);
  if (hasEnough(holdings, named)) return named;
  const others = holdings
    .largest(await context.rates.current())
    .filter((source) => !isSame(source, rule.to_wallet_id, kind.asset) && context.exchanges.get(rule.exchange)?.trades(source.kind, kind));
  const [largest] = others;
  if (largest === undefined || isSame(largest, rule.from_wallet_id, rule.from_asset)) return null;
  const other = await priceFrom(context, rule, largest, buy);
  return hasEnough(holdings, other) ? other : null;
}

type Source = { walletId: string; kind: Kind };

const isSame = ({ walletId, kind }: Source, otherId: string, asset: string): boolean => walletId === otherId && kind.asset === asset;

async function priceFrom(context: Context, rule: RuleRow, source: Source, buy: Amount): Promise<Purchase> {
  const pair = await readPair(context, rule.account_id, {
    from_wallet: source.walletId,
    from_kind: source.kind.kind,
    to_wallet: rule.to_wallet_id,
    to_kind: rule.to_kind,
    exchange: rule.exchange,
  });
  return { pair, price: await pair.exchange.quote({ from: pair.from.kind, to: pair.to.kind, buy }) };
}

function hasEnough(holdings: Holdings, { pair: { from }, price }: Purchase): boolean {
  return holdings.spare(from.walletId, from.kind.asset) >= price.sold;
}
