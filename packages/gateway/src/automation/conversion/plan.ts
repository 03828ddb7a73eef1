import type { Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { Context } from '../../context.ts';
import { termsOf, type PlannedConversion, type Terms } from '../plan.ts';
import { requireNoCycle } from '../cycle-check.ts';
import { readPair } from '../../exchange/pair.ts';
import type { RuleRow } from '../rule-store.ts';
import type { Balances } from '../balances.ts';

/** The amount above `keep` if it is at least `min`, and at most `max`. */
export function excess(available: Amount, { keep, min, max }: Terms): Amount {
  const above = available - keep;
  if (above <= 0n || above < min) return 0n;
  return above < max ? above : max;
}

/**
 * @returns null when there is nothing to convert, or too little to buy one unit
 * @throws ServiceError `InvalidState` when the rule forms a cycle with other enabled rules
 */
export async function planConversion(
  context: Context,
  rule: RuleRow,
  balances: Balances,
): Promise<PlannedConversion | null> {
  const kind = kindOf(rule.from_kind)!;
  const terms = termsOf(rule);
  const reserved = balances.reserved(rule.from_wallet_id, kind.asset);
  const sell = excess(balances.available(rule.from_wallet_id, kind.asset), {
    ...terms,
    keep: terms.keep > reserved ? terms.keep : reserved,
  });
  if (sell === 0n) return null;
  await requireNoCycle(context.db, rule);
  const pair = await readPair(context, rule.account_id, {
    from_wallet: rule.from_wallet_id,
    from_kind: rule.from_kind,
    to_wallet: rule.to_wallet_id,
    to_kind: rule.to_kind,
    exchange: rule.exchange,
  });
  const price = await pair.exchange.quote({ from: pair.from.kind, to: pair.to.kind, sell });
  return price.bought === 0n ? null : { pair, price };
}
