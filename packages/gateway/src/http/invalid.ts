import { ServiceError } from './error.ts';

/** A member of the payload that can't be what it is. */
export function invalid(field: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError('ValidationError', `The member ${field} ${message}.`, { errors: [{ field, message }], cause });
}

/** An address that can't be paid; published clients look for the name. */
export function invalidAddress(field: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError('InvalidAddress', `${message.replace(/\.+$/, '')}.`, { errors: [{ field, message }], cause });
}

/** How texts of callers are repeated in messages. */
export const shown = (text: string): string => `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
