import { directionOf, msg } from '../locale.ts';

/** Ends of sentences, in all the scripts that we write. */
const ENDED = /[.!?…。！？।۔؟]$/;

/** Sentences one after the other, each ended and parted as the language does: not all write a full stop, or a space after it. */
export function sentences(...parts: readonly (string | null | undefined | false)[]): string {
  const [stop = ''] = ENDED.exec(msg('Thank you. Nothing more is needed.', { id: 'paid.text' })) ?? [];
  return parts
    .filter((part): part is string => Boolean(part))
    .map((part) => (ENDED.test(part) ? part : part + stop))
    .join(stop === '。' ? '' : ' ');
}

/** Figures inside a sentence that is written from right to left: without this their parts change places (UAX 9). */
export const isolated = (figures: string, language: string): string =>
  figures && directionOf(language) === 'rtl' ? `\u2068${figures}\u2069` : figures;
