import type { Context } from '../../context.ts';
import { presentExchange } from '../../exchange/present.ts';
import type { RuleView } from '../rule-store.ts';

export function presentAutomaticFunding(context: Context, view: RuleView) {
  return {
    id: view.id,
    from_wallet: { id: view.from_wallet_id, name: view.from_wallet_name },
    from_kind: view.from_kind,
    to_wallet: { id: view.to_wallet_id, name: view.to_wallet_name },
    to_kind: view.to_kind,
    keep_amount: view.keep_amount,
    min_amount: view.min_amount,
    max_amount: view.max_amount,
    exchange: presentExchange(context, view.exchange),
    is_enabled: view.is_enabled,
  };
}
