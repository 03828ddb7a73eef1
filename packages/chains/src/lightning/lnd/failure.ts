import { z } from 'zod';
import { UnavailableError } from '../../error.ts';

/** The node answered with an error. */
export class LndError extends Error {
  override readonly name = 'LndError';
  /** gRPC status code. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The node's certificate or the macaroon is refused; trying again does not help. */
export class LndAccessError extends UnavailableError {
  /** The setting that is wrong. */
  readonly part: 'certificate' | 'macaroon';

  constructor(part: LndAccessError['part'], message: string) {
    super(message);
    this.part = part;
  }
}

const NOT_TRUSTED: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

export const EXPIRED = "the node's certificate has expired";

/** Errors of the system can show host and address, so only their code is kept. */
export function failureOf(error: Error & { code?: unknown }): Error {
  if (error instanceof UnavailableError) return error;
  const code =
    typeof error.code === 'string' && /^[A-Z_\d]{3,40}$/.test(error.code) ? error.code : '';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return new LndAccessError('certificate', EXPIRED);
  if (NOT_TRUSTED.includes(code))
    return new LndAccessError('certificate', 'the node shows another certificate');
  return new UnavailableError(
    code === '' ? 'The node does not answer' : `The node does not answer (${code})`,
  );
}

const errorBody = z.object({ code: z.int(), message: z.string() });
/** Streams wrap an error; single answers do not. */
const wrappedError = z.union([
  z.object({ error: errorBody }).transform(({ error }) => error),
  errorBody,
]);
export const streamItem = z.object({ result: z.unknown().optional(), error: errorBody.optional() });

export function errorOf(status: number, text: string, redact: (text: string) => string): Error {
  const parsed = wrappedError.safeParse(parseJson(text));
  if (!parsed.success)
    return new UnavailableError(`The node does not answer like LND (HTTP ${status})`);
  const { code } = parsed.data;
  const message = redact(parsed.data.message).slice(0, MAX_MESSAGE);
  if (/permission denied/i.test(message))
    return new LndAccessError('macaroon', 'the macaroon does not allow a call that is needed');
  if (/macaroon|verification failed/i.test(message))
    return new LndAccessError('macaroon', 'the node does not accept the macaroon');
  if (/wallet (?:is )?locked/i.test(message) || code === 12)
    return new UnavailableError(
      "LND's wallet is locked; unlock it with lncli unlock, or set wallet-unlock-password-file",
    );
  if (/starting up|waiting to start|not yet ready/i.test(message) || code === 14)
    return new UnavailableError('LND is starting');
  return new LndError(code, message);
}

const MAX_MESSAGE = 300;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
