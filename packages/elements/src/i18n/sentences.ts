import { directionOf, msg } from './locale.ts';

/** Sentence endings in all supported scripts. */
const ENDED = /[.!?…。！？।۔؟]$/;

/** Joins sentences, with the language's full stop and spacing. */
export function sentences(...parts: readonly (string | null | undefined | false)[]): string {
  const [stop = ''] = ENDED.exec(msg('Thanks, you’re all set.', { id: 'paid.text' })) ?? [];
  return parts
    .filter((part): part is string => Boolean(part))
    .map((part) => (ENDED.test(part) ? part : part + stop))
    .join(stop === '。' ? '' : ' ');
}

/** Isolates figures in right-to-left sentences, where their parts would be reordered (UAX 9). */
export const isolated = (figures: string, language: string): string =>
  figures && directionOf(language) === 'rtl' ? `\u2068${figures}\u2069` : figures;
