import { ReorganisationTooDeep } from '@crypto-checkout/chains/cursor';
import { ConfigError, UnavailableError } from '@crypto-checkout/chains/error';
import { JsonRpcError } from '@crypto-checkout/chains/json-rpc';
import { isUnreachable, reasonOf } from '../database/transact.ts';

/**
 * The sentence of a failure that an operator can mend. Other errors can contain anything.
 * @returns null for any other error
 */
export function failureSentence(error: unknown): string | null {
  const isKnown =
    error instanceof UnavailableError ||
    error instanceof JsonRpcError ||
    error instanceof ReorganisationTooDeep ||
    error instanceof ConfigError;
  if (isKnown) return error.message;
  return isUnreachable(error) ? `The database went away: ${reasonOf(error)}` : null;
}
