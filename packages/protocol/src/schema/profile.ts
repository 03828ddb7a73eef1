import { z } from 'zod';
import { parseAmount } from '../amount/amount.ts';
import { EMAIL_EVENTS } from '../wire/event.ts';
import { kindOf, KINDS, PAYOUT_ONLY_KINDS } from '../kinds/kind.ts';
import { notOneOf } from '../wire/spelling.ts';
import { amountInput, amountObject, decimalText, orNull } from './fields/amount.ts';
import { accountId, displayName, EXAMPLES, id, kind, network } from './fields/common-fields.ts';
import { INVOICE_EXPIRATIONS } from './invoice.ts';
import { codeList, line } from './fields/text.ts';

/** Allowed times, in seconds, for which the address of an invoice is watched. */
export const ADDRESSES_EXPIRATIONS = [
  3600, 7200, 21600, 43200, 86400, 172800, 604800, 1209600,
] as const;
export type AddressesExpiration = (typeof ADDRESSES_EXPIRATIONS)[number];

const NOTIFICATION_EMAIL = 'Address of the e-mail notices; null for none.';
const ADDRESSES_EXPIRATION =
  'Seconds for which the address of an unpaid invoice is watched after its quote, and for which a lightning request without an amount can be paid.';
const INVOICE_EXPIRATION = 'Seconds until the price of an invoice expires.';
const ONRAMP_API_KEY = 'API key of an on-ramp; null for none.';
const ALLOW_SMART_CONTRACT_PAYOUTS = 'True when payouts to smart contracts are allowed.';
const STABLECOIN_PRECISION = 'Decimals of amounts in stablecoins';
const ACCEPTANCE_RANGE = 'Difference from the amount within which a payment matches it';
const RESERVE_WALLET =
  'Wallet that refills the wallet of a payout with insufficient funds; null for none.';

export const profileCurrency = z
  .object({
    kind,
    network: network.optional(),
    wallet_id: z.string().meta({
      description: 'Id of the wallet that is credited and pays.',
      examples: [EXAMPLES.walletId],
    }),
    custom_fee: orNull(amountObject).meta({
      description: 'Custom fee of the merchant; null without one.',
      examples: [null],
    }),
    min_confirmations: z.int().meta({
      description:
        "Confirmations that a payment needs to count, for invoices without a value; capped at the chain's final depth.",
      examples: [1],
    }),
    zero_conf_max_amount: decimalText.nullish().meta({
      description: 'On-chain bitcoin only: largest amount that can count before it is in a block.',
      examples: [null],
    }),
    unavailable: z.boolean().nullish().meta({
      description:
        'True while no invoice should be made in the coin: its chain is not read, or lightning can receive nothing.',
    }),
  })
  .meta({ description: 'A coin that a profile offers.' });
export type ProfileCurrency = z.infer<typeof profileCurrency>;

export const profile = z
  .object({
    id,
    account: orNull(z.string()).meta({ description: 'Name of the account.', examples: ['Shop'] }),
    account_id: accountId,
    name: displayName,
    notification_email: orNull(z.string()).meta({
      description: NOTIFICATION_EMAIL,
      examples: ['ops@shop.example'],
    }),
    invoice_expiration: z.int().meta({ description: INVOICE_EXPIRATION, examples: [900] }),
    addresses_expiration: orNull(z.int()).meta({
      description: ADDRESSES_EXPIRATION,
      examples: [604_800],
    }),
    notification_email_kinds: z
      .array(z.string())
      .nullish()
      .transform((kinds) => kinds ?? [])
      .meta({ description: 'Events that are sent by e-mail.', examples: [['invoice_complete']] }),
    onramp_api_key: orNull(z.string()).meta({ description: ONRAMP_API_KEY, examples: [null] }),
    allow_smart_contract_payouts: z
      .boolean()
      .default(false)
      .meta({ description: ALLOW_SMART_CONTRACT_PAYOUTS, examples: [false] }),
    stablecoin_precision: z
      .int()
      .min(0)
      .max(6)
      .default(2)
      .meta({ description: `${STABLECOIN_PRECISION}, 0 to 6.`, examples: [2] }),
    acceptance_range: z
      .object({
        positive_difference: decimalText.meta({
          description: 'Above the amount; more is noted as overpaid.',
          examples: ['0.5'],
        }),
        negative_difference: decimalText.meta({
          description: 'Below the amount.',
          examples: ['0.5'],
        }),
      })
      .default({ positive_difference: '0.5', negative_difference: '0.5' })
      .meta({ description: `${ACCEPTANCE_RANGE}, in percent.` }),
    reserve_wallet: orNull(
      z.object({
        kind,
        network: network.optional(),
        wallet: z.unknown().optional().meta({ description: 'The wallet.' }),
        wallet_id: z.string().optional().meta({ description: 'Id of the wallet.' }),
      }),
    ).meta({ description: RESERVE_WALLET, examples: [null] }),
    callback_url: orNull(z.string()).meta({
      description: 'URL of the callbacks; null for none.',
      examples: [EXAMPLES.callbackUrl],
    }),
    currencies: z.array(profileCurrency).meta({ description: 'Coins that the profile offers.' }),
  })
  .meta({ description: 'Settings for invoices and payouts.' });
export type Profile = z.infer<typeof profile>;

const idInput = z.string().max(64);

const seconds = <T extends number>(allowed: readonly T[]) =>
  z.literal(allowed, { error: `must be one of ${allowed.join(', ')} seconds` });

/** More than any known chain needs for a final payment. */
const MAX_CONFIRMATIONS = 1000;
/** Ten thousand times the amount: accepts every overpayment. */
const MAX_POSITIVE_DIFFERENCE = 1_000_000;

/** A percentage of an amount, to four decimals. */
const percent = (most: number) =>
  amountInput
    .refine((text) => /^\d+(\.\d{1,4}0*)?$/.test(text), 'may have at most four decimals')
    .refine(
      (text) => parseAmount(text) <= parseAmount(String(most)),
      `must be from 0 to ${most} percent`,
    )
    .optional();

const kindRule = ({ input }: { input?: unknown }): string =>
  notOneOf(
    'coin kinds',
    String(input),
    KINDS.map(({ kind }) => kind),
  );

/** A coin that a profile enables, and its wallet. */
export const profileCurrencyInput = z
  .object({
    kind: z
      .string()
      .refine((name) => kindOf(name) !== undefined || PAYOUT_ONLY_KINDS.includes(name), {
        error: kindRule,
      })
      .meta({
        description: 'Kind of the coin; includes kinds that only payouts have.',
        examples: ['BTC'],
      }),
    wallet_id: idInput.meta({
      description: "Id of the wallet that is credited and pays; a wallet of the coin's chain.",
      examples: [EXAMPLES.walletId],
    }),
    custom_fee: z
      .object({
        amount: amountInput.meta({ description: 'Decimal amount.', examples: ['0.10'] }),
        currency: z
          .string()
          .max(16)
          .meta({ description: 'Symbol of a currency or a coin.', examples: ['USD'] }),
      })
      .nullish()
      .meta({ description: 'Custom fee, for invoices without one; null for none.' }),
    min_confirmations: z
      .int()
      .min(1)
      .max(MAX_CONFIRMATIONS)
      .nullish()
      .meta({
        description: `Confirmations that a payment needs to count, 1 to ${MAX_CONFIRMATIONS}, for invoices without a value; capped at the chain's final depth. Default, also for null: one on a test network; on a main network the usual depth of the chain, and the final depth for large payments.`,
        examples: [1],
      }),
    zero_conf_max_amount: amountInput.nullish().meta({
      description:
        '`BTC`, `BTC_P2SH` and `BTC_BECH32` only: largest amount, in the coin, that can count before it is in a block. Default: none.',
      examples: ['0.01'],
    }),
  })
  .meta({ description: 'A coin that a profile offers.' });
export type ProfileCurrencyInput = z.input<typeof profileCurrencyInput>;

/** The events that are sent by e-mail: a comma-separated text, or a list. */
const emailKinds = z
  .union([
    z.string().transform((text) =>
      text
        .split(',')
        .map((kind) => kind.trim())
        .filter((kind) => kind !== ''),
    ),
    z.array(z.string()),
  ])
  .pipe(z.array(z.enum(EMAIL_EVENTS)))
  .transform((kinds) => [...new Set(kinds)]);

const reserveWallet = z
  .object({
    kind: z
      .string()
      .refine((name) => kindOf(name) !== undefined, { error: kindRule })
      .meta({ description: 'Kind of the coin that is taken from it.' }),
    network: z
      .enum(['mainnet', 'testnet'])
      .nullish()
      .meta({
        description: '`testnet` on test networks and in the sandbox, otherwise `mainnet`.',
        examples: ['testnet'],
      }),
    wallet: idInput.nullish().meta({ description: 'Id of the wallet.' }),
    wallet_id: idInput
      .nullish()
      .meta({ description: 'Alternative to `wallet`: the name of the member in answers.' }),
  })
  .refine(({ wallet, wallet_id }) => (wallet ?? wallet_id ?? null) !== null, {
    error: 'is required',
    path: ['wallet'],
  });

const editable = {
  name: line(256).meta({ description: 'Display name.', examples: ['Shop'] }),
  notification_email: z
    .email()
    .max(254)
    .nullish()
    .meta({ description: NOTIFICATION_EMAIL, examples: ['ops@shop.example'] }),
  invoice_expiration: seconds(INVOICE_EXPIRATIONS)
    .optional()
    .meta({ description: `${INVOICE_EXPIRATION} Default 900.`, examples: [900] }),
  addresses_expiration: seconds(ADDRESSES_EXPIRATIONS)
    .optional()
    .meta({
      description: `${ADDRESSES_EXPIRATION} Default 604800.`,
      examples: [604_800],
    }),
  notification_email_kinds: emailKinds.nullish().meta({
    description: `Events that are sent by e-mail, as a comma-separated text or a list; null for none: ${codeList(EMAIL_EVENTS)}.`,
    examples: ['invoice_complete,payout_complete'],
  }),
  onramp_api_key: line(512)
    .nullish()
    .meta({ description: ONRAMP_API_KEY, examples: [null] }),
  allow_smart_contract_payouts: z
    .boolean()
    .optional()
    .meta({ description: `${ALLOW_SMART_CONTRACT_PAYOUTS} Default false.`, examples: [false] }),
  stablecoin_precision: z
    .int()
    .min(0)
    .max(6)
    .optional()
    .meta({ description: `${STABLECOIN_PRECISION}. Default 2.`, examples: [2] }),
  acceptance_range: z
    .object({
      positive_difference: percent(MAX_POSITIVE_DIFFERENCE).meta({
        description: `Above the amount, 0 to ${MAX_POSITIVE_DIFFERENCE}; more is noted as overpaid. Default 0.5.`,
        examples: ['0.5'],
      }),
      negative_difference: percent(100).meta({
        description: 'Below the amount, 0 to 100. Default 0.5.',
        examples: ['0.5'],
      }),
    })
    .optional()
    .meta({ description: `${ACCEPTANCE_RANGE}, in percent with at most four decimals.` }),
  reserve_wallet: reserveWallet.nullish().meta({ description: RESERVE_WALLET, examples: [null] }),
  callback_url: z
    .string()
    .max(2048)
    .nullish()
    .meta({
      description: 'URL of the callbacks: https, on test networks also http; null for none.',
      examples: [EXAMPLES.callbackUrl],
    }),
  currencies: z
    .array(profileCurrencyInput)
    .max(200)
    .refine(
      (list) => new Set(list.map(({ kind: name }) => name)).size === list.length,
      'must name each kind once',
    )
    .meta({
      description: 'Coins that the profile offers, each once. A write disables every omitted coin.',
    }),
};

/** Payload of `POST /v1/profiles/`. */
export const createProfile = z.object(editable).meta({ description: 'A new profile.' });
export type CreateProfile = z.input<typeof createProfile>;

/** Payload of `PUT /v1/profiles/<ID>/`. */
export const updateProfile = z
  .object({
    ...editable,
    name: editable.name.optional(),
    currencies: editable.currencies.optional(),
  })
  .meta({
    description:
      'Changes to a profile: an omitted member is not changed, null clears an optional one.',
  });
export type UpdateProfile = z.input<typeof updateProfile>;
