import { z } from 'zod';

/** One environment variable of a server: its default, its description and its parser. */
export interface Setting<T> {
  fallback: string;
  meaning: string;
  read: z.ZodType<T, string>;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type SettingValues<S extends Settings> = { [Name in keyof S]: z.output<S[Name]['read']> };
export type Environment = Readonly<Record<string, string | undefined>>;

export const setting = <T>(
  fallback: string,
  read: z.ZodType<T, string>,
  meaning: string,
): Setting<T> => ({ fallback, meaning, read });

/**
 * Parses all settings. Unset and blank variables have their default.
 * @param secret settings whose values never appear in messages, which end up in logs
 * @returns the values, and one sentence for each mistake; the values are complete only without
 * mistakes
 */
export function readSettings<S extends Settings>(
  settings: S,
  env: Environment,
  secret: ReadonlySet<string>,
): { values: SettingValues<S>; mistakes: string[] } {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, { fallback, read }] of Object.entries(settings)) {
    const given = env[name]?.trim() ?? '';
    const result = read.safeParse(given === '' ? fallback : given);
    if (result.success) values[name] = result.data;
    else mistakes.push(`${name} ${mistakeIn(result.error, secret.has(name) ? null : given)}.`);
  }
  return { values: values as SettingValues<S>, mistakes };
}

/** The rule and the invalid value: all of it, or the invalid item of a list. */
function mistakeIn({ issues: [issue] }: z.ZodError, given: string | null): string {
  const item: unknown = issue?.code === 'custom' ? issue.params?.['item'] : undefined;
  const message = issue?.message ?? 'is not valid';
  return given === null ? message : `${message}, not "${typeof item === 'string' ? item : given}"`;
}

export const text = z.string();
export const optional = text.transform((value) => (value === '' ? null : value));
/** Without a slash at the end. */
export const url = text
  .refine(isHttpUrl, 'must be an http or https URL')
  .transform((value) => value.replace(/\/+$/, ''));
export const optionalUrl = optional.refine(
  (value) => value === null || isHttpUrl(value),
  'must be an http or https URL',
);
export const optionalPostgresUrl = optional.refine(
  (value) => value === null || isPostgresUrl(value),
  'must be a postgres:// URL; in its password, @, / and # must be percent-encoded',
);
export const optionalSmtpUrl = optional.refine(
  (value) => value === null || isSmtpUrl(value),
  'must be an smtp:// or smtps:// URL',
);
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((value) => value === 'true');
export const logLevel = z.enum(
  ['silent', 'error', 'warn', 'info', 'debug'],
  'must be silent, error, warn, info or debug',
);

/** A whole number within limits. */
export function integer(min: number, max: number) {
  const message = integerRule(min, max);
  return text
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

export const integerRule = (min: number, max: number): string =>
  `must be a whole number from ${min} to ${max}`;
/** The same, or null if it is not set. */
export const optionalInteger = (min: number, max: number) =>
  z.union([z.literal('').transform(() => null), integer(min, max)], {
    error: integerRule(min, max),
  });
export const port = integer(0, 65_535);

/** Reports why an item of a list is invalid. */
export type Refuse = (message: string) => void;

/**
 * A list separated by spaces or commas.
 * @param read returns the value of an item, or reports it and returns nothing
 */
export function listOf<T>(read: (item: string, refuse: Refuse) => T | undefined) {
  return text.transform((value, context) =>
    value
      .split(/[\s,]+/)
      .filter((item) => item !== '')
      .flatMap((item) => {
        const found = read(item, (message) =>
          context.addIssue({ code: 'custom', message, params: { item } }),
        );
        return found === undefined ? [] : [found];
      }),
  );
}

/** Rejects user and password: they have settings of their own, and URLs end up in logs. */
export function isHttpUrl(value: string): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  return (
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === '' &&
    parsed.password === ''
  );
}

function isSmtpUrl(value: string): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  return parsed !== null && /^smtps?:$/.test(parsed.protocol) && parsed.hostname !== '';
}

/**
 * Connection strings of PostgreSQL. A socket's folder stands in `?host=`, and then a user without a
 * host is allowed, which is not a valid URL.
 */
export function isPostgresUrl(value: string): boolean {
  return (
    /^postgres(?:ql)?:\/\//.test(value) &&
    (URL.canParse(value) || URL.canParse(value.replace('@/', '@socket/')))
  );
}
