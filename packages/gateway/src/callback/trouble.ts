import { ForbiddenDestinationError } from '../http/outbound.ts';

/** What the system's codes mean to whoever looks after a shop. */
const MEANINGS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Nobody knows the name of the host',
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
/** Longer ones say nothing more. */
const LONGEST = 500;

/** Why there was no answer, for the operator: what it means first, then what the system said. */
export function troubleOf(error: unknown): string {
  if (!(error instanceof Error)) return storable(String(error)).slice(0, LONGEST);
  if (error instanceof ForbiddenDestinationError && error.opening !== null)
    return storable(`${error.message}; ${error.opening} in OUTBOUND_ALLOW of the service opens it`).slice(0, LONGEST);
  const { cause } = error;
  const said = storable(`${error.message}${cause instanceof Error ? `: ${cause.message}` : ''}`);
  const meaning = MEANINGS[codeOf(error) ?? ''] ?? MEANINGS[codeOf(cause) ?? ''];
  return (meaning === undefined ? said : `${meaning} (${said})`).slice(0, LONGEST);
}

/** The database refuses NUL in a text. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Where a name has several addresses, the code of the first says enough. */
function codeOf(error: unknown): string | null {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
