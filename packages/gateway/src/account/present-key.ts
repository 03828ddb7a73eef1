import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import type { Key } from '../http/env.ts';
import { keySecret } from './create-key.ts';
import type { KeyRow } from './key-store.ts';

/** What stands for a secret where the caller may not read it. */
export const MASK = '*'.repeat(12);

/**
 * Whether a caller reads a key's secret in clear (§5). Of its own account it reads none with which it could do more than it may
 * itself: an integrator key that only reads keys would otherwise be one that pays out, and the one that approves (a choice).
 */
function isClear({ isIntegratorKey, id, accountId, permissions, maxPayout }: Key, key: KeyRow): boolean {
  if (!isIntegratorKey || key.id === id) return isIntegratorKey;
  if (key.account_id !== accountId) return true;
  const isBelow = maxPayout === null || (key.max_payout !== null && parseAmount(key.max_payout) <= parseAmount(maxPayout));
  return isBelow && key.permissions.every((permission) => permissions.has(permission));
}

/** §2.14, as `caller` may see it. */
export function presentKey(context: Pick<Context, 'secrets'>, row: KeyRow, caller: Key) {
  return {
    id: row.id,
    api_key: row.api_key,
    api_secret: isClear(caller, row) ? keySecret(context, row) : MASK,
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
