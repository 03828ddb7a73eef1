import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { RuleView } from './store.ts';

export function presentAutomaticPayout(rule: RuleView) {
  return {
    id: rule.id,
    wallet: { id: rule.wallet_id, name: rule.wallet_name },
    kind: rule.kind,
    recipient_address: rule.recipient_address,
    is_enabled: rule.is_enabled,
    is_api_editable: rule.is_api_editable,
    min_amount: plain(rule.min_amount),
    keep_amount: plain(rule.keep_amount),
    interval: rule.interval_minutes,
  };
}

/** The database returns all 18 decimals. */
const plain = (amount: string): string => formatAmount(parseAmount(amount));
