import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { keySecret } from './create-key.ts';
import type { KeyRow } from './key-store.ts';

/** What stands for a secret where the caller may not read it. */
export const MASK = '*'.repeat(12);

/**
 * §2.14.
 * @param isIntegrator whether the caller reads secrets in clear (§5)
 */
export function presentKey(context: Pick<Context, 'secrets'>, row: KeyRow, isIntegrator: boolean) {
  return {
    id: row.id,
    api_key: row.api_key,
    api_secret: isIntegrator ? keySecret(context, row) : MASK,
    name: row.name,
    created_by: row.created_by,
    updated_at: row.updated_at,
    is_integrator_key: row.is_integrator_key,
    account_id: row.account_id,
    max_payout: row.max_payout === null ? null : formatAmount(parseAmount(row.max_payout)),
    whitelist_ip: row.whitelist_ip,
    permissions: row.permissions,
  };
}
