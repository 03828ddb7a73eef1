import { PERMISSIONS, type Permission } from '@crypto-checkout/protocol/schema/api-key';

export { PERMISSIONS, type Permission } from '@crypto-checkout/protocol/schema/api-key';

/** Every permission except approving, which never combines with creating payouts. */
export const API_KEY_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter(
  (permission) => permission !== 'payouts:approve',
);

export const APPROVE_KEY_PERMISSIONS: readonly Permission[] = [
  'payouts:read',
  'payouts:approve',
  'refunds:read',
];

/** The permissions that the backend-for-frontend needs. */
export const BFF_KEY_PERMISSIONS: readonly Permission[] = [
  'invoices:read',
  'invoices:write',
  'transactions:read',
  'profiles:read',
  'exchange-rates:read',
  'wallets:read',
  'refunds:read',
  'refunds:write',
];
