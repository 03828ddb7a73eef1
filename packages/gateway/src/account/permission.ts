const RESOURCES = [
  'invoices',
  'transactions',
  'payouts',
  'auto-payouts',
  'profiles',
  'wallets',
  'exchange-rates',
  'auto-conversions',
  'auto-funding',
  'conversions',
  'account',
  'api-keys',
] as const;

/** §2.14; `payouts:approve` is ours (decisions, "Approve permission"). */
export type Permission = `${(typeof RESOURCES)[number]}:${'read' | 'write'}` | 'payouts:approve';

export const PERMISSIONS: readonly Permission[] = [
  ...RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const),
  'payouts:approve',
];

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
