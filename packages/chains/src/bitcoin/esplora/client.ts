import type { z } from 'zod';
import { UnavailableError } from '../../error.ts';
import { JsonRpcError } from '../../json-rpc.ts';
import { parseExactly } from '../../rpc/exact-numbers.ts';
import { createHttp, type HttpOptions, type HttpResponse, refusalOf } from '../../rpc/http.ts';

/** A service with the HTTP interface of Esplora. Null is the answer that it has no such thing. */
export interface Esplora {
  json<T>(path: string, answer: z.ZodType<T>): Promise<T | null>;
  /** A short text, such as a hash. */
  text(path: string): Promise<string | null>;
  bytes(path: string): Promise<Uint8Array | null>;
  /**
   * Hands a transaction to the network.
   * @throws JsonRpcError when the node of the service refuses it
   */
  broadcast(raw: string): Promise<string>;
}

/** Above the largest block with its proof. */
const MAX_BYTES = 32 * 1024 * 1024;
const BLOCK_TIMEOUT_MS = 60_000;
const NOT_FOUND = 404;
/** The service's own words; a page of a proxy is no answer. */
const ABSENT = /^[a-z ]*not found\.?$/i;
const MAX_TEXT = 200;

/**
 * A client of Esplora's HTTP interface. It waits as long as a service asks for, and no message of
 * an error contains URL or key.
 */
export function createEsplora(options: HttpOptions): Esplora {
  const http = createHttp({ maxBytes: MAX_BYTES, ...options });

  const get = <T>(path: string, read: (bytes: Uint8Array) => T, timeoutMs = 0): Promise<T | null> =>
    http.send({
      method: 'GET',
      path,
      timeoutMs,
      read: (response) => {
        if (isAbsent(response)) return null;
        const refusal = refusalOf(response.status);
        if (refusal !== null) throw refusal;
        return read(response.bytes);
      },
    });

  return {
    bytes: (path) => get(path, (bytes) => bytes, BLOCK_TIMEOUT_MS),
    text: (path) => get(path, (bytes) => decoded(bytes).trim()),
    json: (path, answer) =>
      get(path, (bytes) => {
        const parsed = answer.safeParse(contentOf(bytes));
        if (parsed.success) return parsed.data;
        const cause = new Error(http.redact(parsed.error.message));
        throw new UnavailableError(
          `The service returned an unexpected answer for ${nameOf(path)}`,
          { cause },
        );
      }),
    broadcast: (raw) =>
      http.send({
        method: 'POST',
        path: '/tx',
        body: raw,
        read: ({ status, bytes }) => {
          const text = decoded(bytes).trim();
          if (status === 400) throw nodeErrorOf(http.redact(text));
          const refusal = refusalOf(status);
          if (refusal !== null) throw refusal;
          return text;
        },
      }),
  };
}

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function isAbsent({ status, bytes }: HttpResponse): boolean {
  return status === NOT_FOUND && bytes.length < MAX_TEXT && ABSENT.test(decoded(bytes).trim());
}

/** The parser's own error would show the text. */
function contentOf(bytes: Uint8Array): unknown {
  try {
    return parseExactly(decoded(bytes));
  } catch {
    throw new UnavailableError('The service returned no JSON');
  }
}

/** The path without the ids in it. */
const nameOf = (path: string): string =>
  path
    .split('/')
    .filter((part) => part.length < 25)
    .join('/');

/** A text that has the node's own error as JSON, such as `… {"code":-26,"message":"dust"}`. */
function nodeErrorOf(text: string): JsonRpcError {
  const [, code = '0'] = /"code"\s*:\s*(-?\d{1,6})/.exec(text) ?? [];
  const [, message = text] = /"message"\s*:\s*"([^"]*)"/.exec(text) ?? [];
  return new JsonRpcError('sendrawtransaction', Number(code), message.slice(0, MAX_TEXT));
}
