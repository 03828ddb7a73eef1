import type { z } from 'zod';
import { UnavailableError } from '../../error.ts';
import { createCredentials } from '../../rpc/credentials.ts';
import { LndAccessError, LndError, parseJson } from '../lnd/failure.ts';
import { readText } from '../lnd/response.ts';
import { createOpen } from '../lnd/rest.ts';
import { errorBody } from './answers.ts';

export interface ClnRestOptions {
  /** An https URL. */
  url: string;
  /** Path of a certificate. Null: the certificate is checked like that of any website. */
  certificateFile: string | null;
  /** A bearer credential. Its text is a secret, and never part of a message. */
  rune: string;
  /** Timeout of a request. Default: 10 s. */
  timeoutMs?: number;
}

export interface ClnRest {
  /**
   * Calls a method of Core Lightning.
   * @param waitMs how long the method may take by itself. Default: 0
   * @throws LndError when the node answers with an error
   * @throws LndAccessError when certificate or rune are refused: an operator is needed
   * @throws UnavailableError without an answer, or with a malformed one
   */
  call<T>(method: string, body: object, answer: z.ZodType<T>, options?: CallOptions): Promise<T>;
}

export interface CallOptions {
  waitMs?: number;
  signal?: AbortSignal;
}

const TIMEOUT_MS = 10_000;
const CREATED = 201;
const MAX_MESSAGE = 300;

/** A client of Core Lightning's clnrest: `POST /v1/<method>` with the rune as a header. */
export function createClnRest(options: ClnRestOptions): ClnRest {
  const { url, certificateFile, rune, timeoutMs = TIMEOUT_MS } = options;
  const credentials = createCredentials({ url, headers: { rune } });
  const open = createOpen(credentials, { certificateFile, setting: 'CLN_CERT' });

  function refusal(status: number, text: string): Error {
    const parsed = errorBody.safeParse(parseJson(text));
    if (status === 401 || status === 403)
      return new LndAccessError('macaroon', 'the node does not accept the rune for this call');
    if (!parsed.success)
      return new UnavailableError(`The node does not answer like Core Lightning (HTTP ${status})`);
    const { code, message } = parsed.data;
    return new LndError(code ?? -1, credentials.redact(message).slice(0, MAX_MESSAGE));
  }

  return {
    async call(method, body, answer, { waitMs = 0, signal } = {}) {
      const response = await open(
        { method: 'POST', path: `/v1/${method}`, body },
        { timeoutMs: timeoutMs + waitMs, signal },
      );
      const text = await readText(response, timeoutMs);
      const status = response.statusCode ?? 0;
      // Versions before the one in Rust answer 200.
      if (status !== CREATED && status !== 200) throw refusal(status, text);
      const parsed = answer.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      throw new UnavailableError(`The node returned an unexpected answer for ${method}`, {
        cause: new Error(credentials.redact(parsed.error.message)),
      });
    },
  };
}
