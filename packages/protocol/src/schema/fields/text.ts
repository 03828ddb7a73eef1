import { z } from 'zod';

/**
 * One line of text, for example a name. Its length is counted in characters, not in UTF-16 units.
 * @param max limit in characters
 */
export function line(max: number) {
  return z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => Array.from(text).length <= max, `may have at most ${max} characters`)
    .refine(
      (text) => !/[\p{Cc}\p{Surrogate}\u2028\u2029]/u.test(text),
      'must be one line of text, without control characters',
    )
    .meta({ minLength: 1, maxLength: max });
}

/**
 * Values in Markdown code format, for descriptions.
 * @example codeList(['new', 'paid']) // '`new`, `paid`'
 */
export function codeList(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ');
}

/** Description of a member whose values can grow. */
export function openValues(values: readonly string[]): string {
  return `One of ${codeList(values)}. Accept unknown values.`;
}
