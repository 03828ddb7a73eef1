import { z } from 'zod';

/**
 * One line for people, as a name: counted in characters, not in UTF-16 units.
 * @param max characters that it may have
 */
export function line(max: number) {
  return z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => Array.from(text).length <= max, `may have at most ${max} characters`)
    .refine((text) => !/[\p{Cc}\p{Surrogate}\u2028\u2029]/u.test(text), 'must be one line of text, without control characters')
    .meta({ minLength: 1, maxLength: max });
}
