import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Price } from '../exchange/exchange.ts';
import type { Pair } from '../exchange/pair.ts';
import type { RuleRow } from './rule-store.ts';

/** A conversion that a rule starts now. */
export interface PlannedConversion {
  pair: Pair;
  price: Price;
}

/** The amounts of a rule. */
export interface Terms {
  keep: Amount;
  min: Amount;
  max: Amount;
}

export function termsOf(rule: Pick<RuleRow, 'keep_amount' | 'min_amount' | 'max_amount'>): Terms {
  return {
    keep: parseAmount(rule.keep_amount),
    min: parseAmount(rule.min_amount),
    max: parseAmount(rule.max_amount),
  };
}
