import { readFile } from 'node:fs/promises';
import { ConfigError, LoginError } from '../error.ts';

export interface CredentialOptions {
  /** The user part may hold user and password. */
  url: string;
  /** Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** For HTTP basic authentication. Default: those of the URL. */
  user?: string;
  password?: string;
  /** A file with `user:password`, which a node writes anew at each start. Default: none. */
  cookieFile?: string;
}

export interface Credentials {
  /** Without user and password. */
  url: string;
  /** @throws LoginError when the cookie file can't be read */
  headers(): Promise<Record<string, string>>;
  /** Reads the cookie file again. @returns whether its content changed */
  renew(): Promise<boolean>;
  /** Replaces every part of URL, headers, user and password in a text of the provider. */
  redact(text: string): string;
}

/**
 * Prepares the URL and the headers of a provider. None of them appears in an error.
 * @throws ConfigError for a header that HTTP does not allow
 */
export function createCredentials(options: CredentialOptions): Credentials {
  const url = new URL(options.url);
  const user = options.user ?? decoded(url.username);
  const password = options.password ?? decoded(url.password);
  url.username = '';
  url.password = '';
  const given = requireHeaders(options.headers ?? {});
  const { cookieFile } = options;
  const fixed = user === '' && password === '' ? null : `${user}:${password}`;
  let cookie: string | null = null;
  let redact = redactor(secretsOf(url, [...Object.values(given), user, password, fixed ?? '']));

  async function readCookie(file: string): Promise<string> {
    try {
      const text = (await readFile(file, 'utf8')).trim();
      const secrets = secretsOf(url, [...Object.values(given), text, ...text.split(':')]);
      redact = redactor(secrets);
      return text;
    } catch {
      throw new LoginError("The cookie file of the node is missing or can't be read", file);
    }
  }

  return {
    url: url.href,
    redact: (text) => redact(text),
    async headers() {
      if (cookieFile !== undefined) cookie ??= await readCookie(cookieFile);
      const pair = cookie ?? fixed;
      return {
        ...given,
        ...(pair === null ? {} : { authorization: `Basic ${base64(pair)}` }),
        'content-type': 'application/json',
      };
    },
    async renew() {
      if (cookieFile === undefined) return false;
      const before = cookie;
      cookie = await readCookie(cookieFile);
      return cookie !== before;
    },
  };
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

function requireHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers().set(name, value);
    } catch {
      throw new ConfigError(
        `The header ${name} of a node has characters that HTTP does not allow.`,
      );
    }
  }
  return { ...headers };
}

/** Shorter parts, such as `v2`, are no secrets. */
const MIN_SECRET = 4;

function secretsOf(url: URL, credentials: readonly string[]): string[] {
  const parts = [
    url.href,
    url.host,
    url.hostname,
    ...url.pathname.split('/'),
    ...[...url.searchParams].flat(),
    ...credentials.flatMap((text) => [text, base64(text), ...text.split(/\s+/)]),
  ];
  return parts.flatMap((part) => [part, decoded(part), encodeURIComponent(part)]);
}

/** As it is where a percent sign encodes nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function redactor(secrets: readonly string[]): (text: string) => string {
  const listed = [...new Set(secrets)]
    .filter(({ length }) => length >= MIN_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`));
  if (listed.length === 0) return (text) => text;
  const pattern = new RegExp(listed.join('|'), 'gi');
  return (text) => text.replace(pattern, '…');
}
