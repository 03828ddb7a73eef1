import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import type { Purchase } from '../exchange/automate.ts';
import { refuseCircle } from '../exchange/circle.ts';
import { readPair } from '../exchange/pair.ts';
import type { RuleRow } from '../exchange/rule-store.ts';
import type { Holdings } from '../exchange/holdings.ts';

export interface Terms {
  keep: Amount;
  min: Amount;
  max: Amount;
}

/** §2.11: what exceeds `keep` by `min` or more, at most `max`. */
export function excess(available: Amount, { keep, min, max }: Terms): Amount {
  const above = available - keep;
  if (above <= 0n || above < min) return 0n;
  return above < max ? above : max;
}

export function termsOf(rule: Pick<RuleRow, 'keep_amount' | 'min_amount' | 'max_amount'>): Terms {
  return { keep: parseAmount(rule.keep_amount), min: parseAmount(rule.min_amount), max: parseAmount(rule.max_amount) };
}

/**
 * @returns null when there is nothing to convert, or so little that it is worth nothing
 * @throws ServiceError `InvalidState` when it is in a circle with others that are on
 */
export async function planConversion(context: Context, rule: RuleRow, holdings: Holdings): Promise<Purchase | null> {
  const kind = kindOf(rule.from_kind)!;
  const terms = termsOf(rule);
  const kept = holdings.kept(rule.from_wallet_id, kind.asset);
  const sell = excess(holdings.available(rule.from_wallet_id, kind.asset), { ...terms, keep: terms.keep > kept ? terms.keep : kept });
  if (sell === 0n) return null;
  await refuseCircle(context.db, rule);
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
