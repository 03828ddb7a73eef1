import type { Kind } from '@crypto-checkout/protocol/kind';
import { whyDisabled } from '../chain/disabled.ts';
import { ServiceError } from '../http/error.ts';

/** A member of the payload that can't be what it is. */
export function invalid(field: string, message: string): ServiceError {
  return new ServiceError('ValidationError', `The member ${field} ${message}.`, { errors: [{ field, message }] });
}

/** An address that can't be paid; published clients look for the name. */
export function invalidAddress(field: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError('InvalidAddress', `${message.replace(/\.+$/, '')}.`, { errors: [{ field, message }], cause });
}

/** @throws ServiceError `ValidationError` for a coin that nobody can be paid: it would only be stuck in its wallet */
export function requireOffered(kind: Kind, field: string): void {
  const disabled = whyDisabled(kind);
  if (disabled !== null) throw invalid(field, `can't be used: ${disabled}`);
}

/** How texts of callers are repeated in messages. */
export const shown = (text: string): string => `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
