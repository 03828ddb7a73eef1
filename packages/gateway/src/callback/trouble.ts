import { ForbiddenDestinationError } from '../outbound/outbound.ts';

/** Meanings of the system's error codes for an operator. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name of the host does not resolve',
  EAI_AGAIN: 'The name of the host could not be looked up',
  ECONNREFUSED: 'Nothing listens at the address',
  ECONNRESET: 'The receiver cut the connection',
  EPIPE: 'The receiver cut the connection',
  UND_ERR_SOCKET: 'The receiver cut the connection',
  EHOSTUNREACH: 'There is no way to the host',
  ENETUNREACH: 'There is no way to the host',
  ETIMEDOUT: 'The host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'The host does not answer',
};
/** Longer messages add nothing. */
const LONGEST = 500;

/** Explains why there was no answer: the meaning first, then the system's message. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return storable(String(error)).slice(0, LONGEST);
  if (error instanceof ForbiddenDestinationError && error.opening !== null)
    return storable(
      `${error.message}; ${error.opening} in OUTBOUND_ALLOW of the service opens it`,
    ).slice(0, LONGEST);
  const { cause } = error;
  const said = storable(`${error.message}${cause instanceof Error ? `: ${cause.message}` : ''}`);
  const meaning = MEANINGS[codeOf(error) ?? ''] ?? MEANINGS[codeOf(cause) ?? ''];
  return (meaning === undefined ? said : `${meaning} (${said})`).slice(0, LONGEST);
}

/** PostgreSQL refuses NUL in a text. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** For a name with several addresses, the first error code is enough. */
function codeOf(error: unknown): string | null {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
