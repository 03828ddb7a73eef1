import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../../context.ts';
import type { Key } from '../../http/env.ts';
import { keySecret } from './create-key.ts';
import type { KeyRow } from './key-store.ts';

/** Shown in place of a secret that the caller may not read. */
export const MASK = '*'.repeat(12);

/**
 * Whether a caller reads a key's secret in clear. Within its own account it reads no secret that
 * grants more than it has: otherwise an integrator key that only reads keys could pay out and
 * approve (our choice).
 */
function isClear(
  { isIntegratorKey, id, accountId, permissions, maxPayout, maxPayoutDaily }: Key,
  key: KeyRow,
): boolean {
  if (!isIntegratorKey || key.id === id) return isIntegratorKey;
  if (key.account_id !== accountId) return true;
  const isBelow =
    isAtMost(key.max_payout, maxPayout) && isAtMost(key.max_payout_daily, maxPayoutDaily);
  return isBelow && key.permissions.every((permission) => permissions.has(permission));
}

/** Whether a limit in USD allows no more than another; null is no limit. */
const isAtMost = (limit: string | null, other: string | null): boolean =>
  other === null || (limit !== null && parseAmount(limit) <= parseAmount(other));

const usdText = (limit: string | null): string | null =>
  limit === null ? null : formatAmount(parseAmount(limit));

/** An API key on the wire, as `caller` may see it. */
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
    max_payout: usdText(row.max_payout),
    max_payout_daily: usdText(row.max_payout_daily),
    whitelist_ip: row.whitelist_ip,
    permissions: row.permissions,
  };
}
