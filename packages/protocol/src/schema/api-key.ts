import { z } from 'zod';
import { amountInput, amountText, orNull, timestamp } from './amount.ts';
import { line } from './text.ts';

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

/** Characters that the name of a key or of an account can have (§8). */
export const MAX_NAME = 64;
/** Entries that an address list can have. */
export const MAX_WHITELIST = 100;
/** Longest time for which an old secret works beside its successor: a week. */
export const MAX_GRACE_SECONDS = 604_800;

/** §2.14. Permissions are any strings: a reader must accept ones that it does not know. */
export const apiKey = z.object({
  id: z.string(),
  api_key: z.string(),
  /** Twelve asterisks except for integrator keys, and where it was just made. */
  api_secret: z.string(),
  name: z.string(),
  created_by: orNull(z.string()),
  updated_at: timestamp,
  is_integrator_key: z.boolean(),
  account_id: z.string(),
  /** In USD; payouts above it become drafts. */
  max_payout: orNull(amountText),
  whitelist_ip: z
    .array(z.string())
    .nullish()
    .transform((addresses) => addresses ?? []),
  permissions: z.array(z.string()),
});
export type ApiKey = z.infer<typeof apiKey>;

/** Whoever approves never creates (§5), also not by a rule that pays out by itself. */
const NEVER_WITH_APPROVE: readonly Permission[] = ['payouts:write', 'auto-payouts:write'];

const permissions = z
  .array(z.enum(PERMISSIONS as [Permission, ...Permission[]]))
  .min(1, 'must name at least one permission')
  .max(100)
  .transform((list) => [...new Set(list)])
  .refine(
    (list) => !list.includes('payouts:approve') || !list.some((permission) => NEVER_WITH_APPROVE.includes(permission)),
    `must not join payouts:approve with ${NEVER_WITH_APPROVE.join(' or ')}: a key that approves payouts can never create any`,
  );

const editable = {
  name: line(MAX_NAME),
  permissions,
  /** In USD; null for no limit. */
  max_payout: amountInput.nullish(),
  /** Addresses and CIDRs from which the key may be used; null or empty for all. */
  whitelist_ip: z.array(z.string().max(64)).max(MAX_WHITELIST).nullish(),
};

/** Payload of `POST /v1/api-keys/` (§4.11). */
export const createApiKey = z.object({
  ...editable,
  /** A sub account of the caller's. */
  account_id: z.string().max(64),
  /** Ours: the last 256 nonces are accepted in any order, for callers that send in parallel. Default false: strictly increasing. */
  nonce_window: z.boolean().nullish(),
});
export type CreateApiKey = z.input<typeof createApiKey>;

/** Payload of `PUT /v1/api-keys/<ID>/` (§5 says that it exists): what is left out stays. */
export const updateApiKey = z.object({ ...editable, name: editable.name.optional(), permissions: permissions.optional() });
export type UpdateApiKey = z.input<typeof updateApiKey>;

/** Payload of `POST /v1/api-keys/<ID>/rotate/` (ours). */
export const rotateApiKey = z.object({
  /** Seconds for which the old secret still works. Default 0: it stops at once. */
  grace_seconds: z.int().min(0).max(MAX_GRACE_SECONDS).nullish(),
});
export type RotateApiKey = z.input<typeof rotateApiKey>;
