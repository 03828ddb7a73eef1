import * as account from '@crypto-checkout/protocol/schema/account';
import * as apiKey from '@crypto-checkout/protocol/schema/api-key';
import * as automaticConversion from '@crypto-checkout/protocol/schema/automatic-conversion';
import * as automaticFunding from '@crypto-checkout/protocol/schema/automatic-funding';
import * as automaticPayout from '@crypto-checkout/protocol/schema/automatic-payout';
import * as confirmations from '@crypto-checkout/protocol/schema/fields/confirmations';
import * as conversion from '@crypto-checkout/protocol/schema/conversion';
import * as invoice from '@crypto-checkout/protocol/schema/invoice';
import * as payout from '@crypto-checkout/protocol/schema/payout';
import * as profile from '@crypto-checkout/protocol/schema/profile';
import * as wallet from '@crypto-checkout/protocol/schema/wallet';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ServiceError } from './error.ts';
import { validate } from './payload.ts';

const files = {
  account,
  apiKey,
  automaticConversion,
  automaticFunding,
  automaticPayout,
  confirmations,
  conversion,
  invoice,
  payout,
  profile,
  wallet,
};

/** The payload of every endpoint that takes one. */
const PAYLOADS = Object.values(files)
  .flatMap((file) => Object.entries<unknown>(file))
  .filter(
    (entry): entry is [string, z.ZodObject] =>
      /^(create|update|ask|approve|renew|rotate)/.test(entry[0]) && entry[1] instanceof z.ZodObject,
  );

const WRONG = [
  null,
  true,
  5,
  -1,
  0,
  1.5,
  1e9,
  '',
  '5',
  '1.5',
  'x',
  '\0',
  '\ud800',
  'x'.repeat(5000),
  [],
  [1],
  ['x'],
  {},
];
const LONG: unknown[] = Array.from({ length: 501 }, () => 'x');

/** Values of all types for a schema and, one at a time, for each of its members. */
function wrongFor(schema: unknown): unknown[] {
  const values: unknown[] = [...WRONG, LONG];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return wrongFor(schema.unwrap());
  if (schema instanceof z.ZodArray)
    values.push(...wrongFor(schema.element).map((value) => [value]));
  if (schema instanceof z.ZodObject)
    for (const [name, member] of Object.entries(schema.shape))
      values.push(...wrongFor(member).map((value) => ({ [name]: value })));
  return values;
}

function refusalOf(schema: z.ZodType, value: unknown): ServiceError | null {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return null;
}

describe('every rejected payload', () => {
  it.each(PAYLOADS)(
    'of %s goes on after the name of the member, in words of ours',
    (_name, schema) => {
      const refusals = wrongFor(schema).flatMap((value) => refusalOf(schema, value) ?? []);
      expect(refusals.length).toBeGreaterThan(10);
      for (const { message, errors = [] } of refusals) {
        expect(message).toMatch(
          /^(The member [\w.]+|The payload) (must|may|is required|is not known here)\b.*\.$/s,
        );
        for (const error of errors) {
          expect(error.message).toMatch(/^(must|may|is) /);
          expect(error.message).not.toMatch(
            /[<>]=|Invalid|expected|received|Too |array|boolean|\||undefined|of another (form|type)/,
          );
        }
      }
    },
  );

  it.each<[string, z.ZodType, object, string, string]>([
    [
      'a fraction',
      payout.createPayout,
      { network_fee: '1.5' },
      'network_fee',
      'must be a whole number, 1 or more',
    ],
    [
      'a number in quotes',
      payout.createPayout,
      { network_fee: '15' },
      'network_fee',
      'must be a whole number, 1 or more, without quotes',
    ],
    [
      'larger than any number here',
      payout.createPayout,
      { network_fee: 1e20 },
      'network_fee',
      'must be a whole number from 1 to 9007199254740991',
    ],
    [
      'larger than any, as it was written',
      payout.createPayout,
      { network_fee: '100000000000000000000' },
      'network_fee',
      'must be a whole number from 1 to 9007199254740991',
    ],
    [
      'too many',
      invoice.createInvoice,
      { min_confirmations: 6 },
      'min_confirmations',
      'must be a whole number from 1 to 5',
    ],
    [
      'too few',
      invoice.createInvoice,
      { min_confirmations: 0 },
      'min_confirmations',
      'must be a whole number from 1 to 5',
    ],
    ['nobody', payout.createPayout, { recipients: [] }, 'recipients', 'must not be empty'],
    [
      'too many entries',
      payout.createPayout,
      { recipients: LONG },
      'recipients',
      'may have at most 100 entries',
    ],
    [
      'long text',
      payout.createPayout,
      { kind: 'x'.repeat(41) },
      'kind',
      'may have at most 40 characters',
    ],
    [
      'none of a few',
      payout.createPayout,
      { network_fee_pays: 'me' },
      'network_fee_pays',
      'must be one of merchant, recipient, not "me"',
    ],
    ['no yes or no', payout.approvePayout, { approve: 'yes' }, 'approve', 'must be true or false'],
    ['no list', payout.createPayout, { recipients: {} }, 'recipients', 'must be a list'],
    [
      'neither text nor a list',
      profile.updateProfile,
      { notification_email_kinds: 5 },
      'notification_email_kinds',
      'must be a string or a list',
    ],
    [
      'no email',
      profile.updateProfile,
      { notification_email: 'shop' },
      'notification_email',
      'must be an email address',
    ],
    [
      'no time',
      payout.createPayout,
      { scheduled_at: 'tomorrow' },
      'scheduled_at',
      'must be a time with its offset, as in 2030-01-31T12:00:00Z',
    ],
    [
      'what nobody knows',
      z.strictObject({ a: z.string() }),
      { a: 'x', b: 1 },
      'b',
      'is not known here',
    ],
  ])('states the rule: %s', (_what, schema, value, field, message) => {
    expect(refusalOf(schema, value)?.errors).toContainEqual({ field, message });
  });

  it('names an unknown member before a missing one, which it may be meant for', () => {
    const schema = z.strictObject({ advance_seconds: z.int() });
    expect(refusalOf(schema, { advance: 3 })?.message).toBe(
      'The member advance is not known here.',
    );
  });

  it('lists the allowed durations', () => {
    const [error] = refusalOf(profile.updateProfile, { invoice_expiration: 61 })?.errors ?? [];
    expect(error?.message).toMatch(/^must be one of 60, 120, 300, .*1209600 seconds$/);
  });
});
