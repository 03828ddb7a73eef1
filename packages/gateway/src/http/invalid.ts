import { KINDS } from '@crypto-checkout/protocol/kind';
import { notOneOf, quotedText } from '@crypto-checkout/protocol/spelling';
import { ServiceError } from './error.ts';

/** The error for a payload member with an invalid value. */
export function invalid(field: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError('ValidationError', `The member ${field} ${message}.`, {
    errors: [{ field, message }],
    cause,
  });
}

/** The error for an address that cannot be paid; published clients look for this name. */
export function invalidAddress(field: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError('InvalidAddress', `${message.replace(/\.+$/, '')}.`, {
    errors: [{ field, message }],
    cause,
  });
}

/** The error for a kind that no coin has. */
export const unknownKind = (field: string, name: string): ServiceError =>
  invalid(
    field,
    notOneOf(
      'coin kinds',
      name,
      KINDS.map(({ kind }) => kind),
    ),
  );

/** Quotes a caller's text in a message. */
export const shown = quotedText;
