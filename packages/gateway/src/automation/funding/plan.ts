import type { Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { termsOf, type PlannedConversion, type Terms } from '../plan.ts';
import type { Context } from '../../context.ts';
import type { Balances } from '../balances.ts';
import { readPair } from '../../exchange/pair.ts';
import type { RuleRow } from '../rule-store.ts';

/** The amount missing to `keep` if it is at least `min`, and at most `max`. */
export function shortfall(available: Amount, { keep, min, max }: Terms): Amount {
  const below = keep - available;
  if (below <= 0n || below < min) return 0n;
  return below < max ? below : max;
}

/**
 * Plans a refill from the rule's wallet or, if that has too little, from the wallet with the
 * largest surplus. The reserve of another funding is not sold.
 * @returns null when nothing is missing, or no wallet has enough
 */
export async function planFunding(
  context: Context,
  rule: RuleRow,
  balances: Balances,
): Promise<PlannedConversion | null> {
  const kind = kindOf(rule.to_kind)!;
  const buy = shortfall(balances.available(rule.to_wallet_id, kind.asset), termsOf(rule));
  if (buy === 0n) return null;
  const named = await priceFrom(
    context,
    rule,
    { walletId: rule.from_wallet_id, kind: kindOf(rule.from_kind)! },
    buy,
  );
  if (hasEnough(balances, named)) return named;
  const others = balances
    .bySurplusValue(await context.rates.current())
    .filter(
      (source) =>
        !holds(source, rule.to_wallet_id, kind.asset) &&
        context.exchanges.get(rule.exchange)?.trades(source.kind, kind),
    );
  const [largest] = others;
  if (largest === undefined || holds(largest, rule.from_wallet_id, rule.from_asset)) return null;
  const other = await priceFrom(context, rule, largest, buy);
  return hasEnough(balances, other) ? other : null;
}

type Source = { walletId: string; kind: Kind };

const holds = ({ walletId, kind }: Source, otherId: string, asset: string): boolean =>
  walletId === otherId && kind.asset === asset;

async function priceFrom(
  context: Context,
  rule: RuleRow,
  source: Source,
  buy: Amount,
): Promise<PlannedConversion> {
  const pair = await readPair(context, rule.account_id, {
    from_wallet: source.walletId,
    from_kind: source.kind.kind,
    to_wallet: rule.to_wallet_id,
    to_kind: rule.to_kind,
    exchange: rule.exchange,
  });
  return {
    pair,
    price: await pair.exchange.quote({ from: pair.from.kind, to: pair.to.kind, buy }),
  };
}

function hasEnough(balances: Balances, { pair: { from }, price }: PlannedConversion): boolean {
  return balances.surplus(from.walletId, from.kind.asset) >= price.sold;
}
