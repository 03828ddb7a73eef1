/** The client of a payment link: a browser, a program, or a terminal. */
export type Reader = 'html' | 'json' | 'text';

const TYPES: readonly [type: string, reader: Reader][] = [
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['application/json', 'json'],
  ['text/plain', 'text'],
];

/** Terminal programs that accept any type, by their User-Agent. */
const TERMINAL = /^(?:curl|wget2?|httpie|xh|fetch libfetch)\b/i;
const MAX_RANGES = 20;

/** Whether the User-Agent is a terminal program, which renders colours. */
export const isTerminal = (userAgent: string | null): boolean => TERMINAL.test(userAgent ?? '');

/**
 * Chooses the format of the answer (RFC 9110, section 12.5.1): the type that `Accept` prefers, the
 * first one of equals. Without a supported type the answer is the page, or text for a terminal
 * program.
 */
export function chooseReader(accept: string | null, userAgent: string | null): Reader {
  const ranges = (accept ?? '').split(',', MAX_RANGES).map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return {
      reader: TYPES.find(([known]) => known === type)?.[1],
      quality: quality ? Number(quality.slice(2)) : 1,
    };
  });
  const [best] = ranges
    .filter(({ reader, quality }) => reader && quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  return best?.reader ?? (isTerminal(userAgent) ? 'text' : 'html');
}
