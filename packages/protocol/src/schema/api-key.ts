import { z } from 'zod';
import { amountInput, amountText, orNull, timestamp } from './fields/amount.ts';
import { accountId, EXAMPLES, id } from './fields/common-fields.ts';
import { codeList, line } from './fields/text.ts';

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
  'refunds',
] as const;

/**
 * Read and write per resource. `payouts:approve` is apart, so that one key cannot create and
 * approve a payout.
 */
export type Permission = `${(typeof RESOURCES)[number]}:${'read' | 'write'}` | 'payouts:approve';

export const PERMISSIONS: readonly Permission[] = [
  ...RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const),
  'payouts:approve',
];

/** Characters in the name of a key or an account. */
export const MAX_NAME = 64;
/** Entries in an address list. */
export const MAX_WHITELIST = 100;
/** Longest overlap of an old secret and its successor: a week. */
export const MAX_GRACE_SECONDS = 604_800;

const MAX_PAYOUT = 'Limit in US dollars: larger payouts become drafts; null for no limit.';

const MAX_PAYOUT_DAILY =
  'Limit in US dollars for all payouts within 24 hours that nobody approved: those beyond it become drafts; null for no limit. Extension.';

/** Permissions can be any strings: a reader must accept unknown ones. */
export const apiKey = z
  .object({
    id,
    api_key: z.string().meta({
      description: 'Value of the header `X-CC-KEY`.',
      examples: ['ck_0b2f3c4d5e6f70818293a4b5c6d7e8f9'],
    }),
    api_secret: z.string().meta({
      description:
        'Masked with asterisks, except for integrator keys and in the answer that creates or rotates the key.',
      examples: ['************'],
    }),
    name: z.string().meta({ description: 'Display name.', examples: ['Branch till'] }),
    created_by: orNull(z.string()).meta({
      description: 'Name of the creator.',
      examples: ['integrator'],
    }),
    updated_at: timestamp.meta({
      description: 'Time of the last change.',
      examples: [EXAMPLES.time],
    }),
    is_integrator_key: z.boolean().meta({
      description: 'True for a key that can create accounts and keys.',
      examples: [false],
    }),
    account_id: accountId,
    max_payout: orNull(amountText).meta({ description: MAX_PAYOUT, examples: [null] }),
    max_payout_daily: orNull(amountText)
      .optional()
      .meta({ description: MAX_PAYOUT_DAILY, examples: [null] }),
    whitelist_ip: z
      .array(z.string())
      .nullish()
      .transform((addresses) => addresses ?? [])
      .meta({
        description: 'IP addresses and networks that can use the key; empty for all.',
        examples: [[]],
      }),
    permissions: z.array(z.string()).meta({
      description: 'Permissions of the key. Accept unknown values.',
      examples: [['invoices:read', 'invoices:write']],
    }),
  })
  .meta({ description: 'An API key and its permissions.' });
export type ApiKey = z.infer<typeof apiKey>;

/** A key that approves payouts can never create one, neither directly nor by an automatic rule. */
const NEVER_WITH_APPROVE: readonly Permission[] = [
  'payouts:write',
  'auto-payouts:write',
  'refunds:write',
];

const permissions = z
  .array(z.enum(PERMISSIONS as [Permission, ...Permission[]]))
  .min(1, 'must name at least one permission')
  .max(100)
  .transform((list) => [...new Set(list)])
  .refine(
    (list) =>
      !list.includes('payouts:approve') ||
      !list.some((permission) => NEVER_WITH_APPROVE.includes(permission)),
    `must not join payouts:approve with ${NEVER_WITH_APPROVE.join(' or ')}: a key that approves payouts can never create any`,
  )
  .meta({
    description: `Permissions of the key: ${codeList(PERMISSIONS)}. A key that approves payouts can never create any.`,
    examples: [['invoices:read', 'invoices:write']],
  });

const editable = {
  name: line(MAX_NAME).meta({ description: 'Display name.', examples: ['Branch till'] }),
  permissions,
  max_payout_daily: amountInput
    .nullish()
    .meta({ description: MAX_PAYOUT_DAILY, examples: ['5000'] }),
  max_payout: amountInput.nullish().meta({ description: MAX_PAYOUT, examples: ['1000'] }),
  whitelist_ip: z
    .array(z.string().max(64))
    .max(MAX_WHITELIST)
    .nullish()
    .meta({
      description: 'IP addresses and CIDR networks that can use the key; null or empty for all.',
      examples: [['203.0.113.7']],
    }),
};

/** Payload of `POST /v1/api-keys/`. */
export const createApiKey = z
  .object({
    ...editable,
    account_id: z
      .string()
      .max(64)
      .meta({
        description: 'Id of a sub account of the account of the key.',
        examples: [EXAMPLES.accountId],
      }),
    nonce_window: z
      .boolean()
      .nullish()
      .meta({
        description:
          'Accept the last 256 nonces in any order, for parallel requests. Default false: each nonce must be greater than the last.',
        examples: [false],
      }),
  })
  .meta({ description: 'A new key of a sub account.' });
export type CreateApiKey = z.input<typeof createApiKey>;

/** Payload of `PUT /v1/api-keys/<ID>/`: an omitted member is not changed. */
export const updateApiKey = z
  .object({ ...editable, name: editable.name.optional(), permissions: permissions.optional() })
  .meta({ description: 'Changes to a key: an omitted member is not changed.' });
export type UpdateApiKey = z.input<typeof updateApiKey>;

/** Payload of `POST /v1/api-keys/<ID>/rotate/`. */
export const rotateApiKey = z
  .object({
    grace_seconds: z
      .int()
      .min(0)
      .max(MAX_GRACE_SECONDS)
      .nullish()
      .meta({
        description: 'Seconds during which the old secret still works. Default 0.',
        examples: [3600],
      }),
  })
  .meta({ description: 'A new secret for a key.' });
export type RotateApiKey = z.input<typeof rotateApiKey>;
