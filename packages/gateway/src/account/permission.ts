import { PERMISSIONS, type Permission } from '@crypto-checkout/protocol/schema/api-key';

export { PERMISSIONS, type Permission } from '@crypto-checkout/protocol/schema/api-key';

/** Everything but approving, which may never be joined with creating (§5). */
export const API_KEY_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter((permission) => permission !== 'payouts:approve');

export const APPROVE_KEY_PERMISSIONS: readonly Permission[] = ['payouts:read', 'payouts:approve'];

/** What the backend-for-frontend does, and nothing else. */
export const BFF_KEY_PERMISSIONS: readonly Permission[] = [
  'invoices:read',
  'invoices:write',
  'transactions:read',
  'profiles:read',
  'exchange-rates:read',
  'wallets:read',
];
