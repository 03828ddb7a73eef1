import { presentAutomaticFunding } from '../automatic-funding/present.ts';
import type { Context } from '../context.ts';
import type { RuleView } from '../exchange/rule-store.ts';

/** An automatic conversion as the interface shows it (§2.11): as an automatic funding, and since when and by whom. */
export function presentAutomaticConversion(context: Context, view: RuleView) {
  return { ...presentAutomaticFunding(context, view), created_at: view.created_at, created_by: view.created_by };
}
