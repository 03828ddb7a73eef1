import { UnavailableError } from '../error.ts';
import { parseExactly } from './exact-numbers.ts';
import { createHttp, type Http, type HttpOptions, refusalOf } from './http.ts';

export interface PostOptions extends HttpOptions {
  /**
   * Keeps numbers that a double does not hold exactly as text, also every number with a fraction.
   * Default false.
   */
  exactNumbers?: boolean;
}

export interface Post extends Pick<Http, 'pause' | 'redact' | 'attempts'> {
  /**
   * Sends a JSON body and returns the parsed response.
   * @param timeoutMs when this request may take longer than others
   * @throws TooLargeError for a response above the limit
   * @throws RefusedError for a request that the provider refuses as a whole
   * @throws UnavailableError for every other failure
   */
  send(body: unknown, timeoutMs?: number): Promise<unknown>;
}

/** HTTP POST of JSON-RPC. */
export function createPost({ exactNumbers = false, ...options }: PostOptions): Post {
  const { send, pause, redact, attempts } = createHttp(options);
  const parse = exactNumbers ? parseExactly : (text: string) => JSON.parse(text) as unknown;
  return {
    pause,
    redact,
    attempts,
    send: (body, timeoutMs = 0) =>
      send({
        method: 'POST',
        body: JSON.stringify(body),
        timeoutMs,
        read: ({ status, bytes }) => contentOf(status, new TextDecoder().decode(bytes), parse),
      }),
  };
}

/** Bitcoin nodes send JSON-RPC errors with an HTTP error, so a body of JSON comes first. */
function contentOf(status: number, text: string, parse: (text: string) => unknown): unknown {
  const content = parsed(text, parse);
  if (isJsonRpc(content)) return content;
  throw (
    refusalOf(status) ??
    new UnavailableError(
      content === undefined ? 'The node returned no JSON' : 'The node returned invalid JSON-RPC',
    )
  );
}

/** Undefined for a text that is no JSON. The parser's own error would show the text. */
function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function isJsonRpc(content: unknown): boolean {
  if (Array.isArray(content)) return true;
  return (
    typeof content === 'object' &&
    content !== null &&
    'id' in content &&
    ('result' in content || 'error' in content)
  );
}
