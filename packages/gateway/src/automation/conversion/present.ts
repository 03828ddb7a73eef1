import { presentAutomaticFunding } from '../funding/present.ts';
import type { Context } from '../../context.ts';
import type { RuleView } from '../rule-store.ts';

/** Same fields as an automatic funding, plus `created_at` and `created_by`. */
export function presentAutomaticConversion(context: Context, view: RuleView) {
  return {
    ...presentAutomaticFunding(context, view),
    created_at: view.created_at,
    created_by: view.created_by,
  };
}
