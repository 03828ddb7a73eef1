/** Who opens a payment link: a person with a browser, a program, or somebody at a terminal. */
export type Reader = 'html' | 'json' | 'text';

const TYPES: readonly [type: string, reader: Reader][] = [
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['application/json', 'json'],
  ['text/plain', 'text'],
];

/** Programs for terminals that take whatever comes; named as they name themselves. */
const TERMINAL = /^(?:curl|wget2?|httpie|xh|fetch libfetch)\b/i;
const MAX_RANGES = 20;

/** Whether the reader's own name is that of a program for terminals, which draws colours. */
export const isTerminal = (userAgent: string | null): boolean => TERMINAL.test(userAgent ?? '');

/**
 * What to answer with (RFC 9110 §12.5.1): the type that `Accept` likes best; of equal ones the first that it names. Who names none of
 * ours gets the page, and a program for terminals text.
 */
export function chooseReader(accept: string | null, userAgent: string | null): Reader {
  const ranges = (accept ?? '').split(',', MAX_RANGES).map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return { reader: TYPES.find(([known]) => known === type)?.[1], quality: quality ? Number(quality.slice(2)) : 1 };
  });
  const [best] = ranges.filter(({ reader, quality }) => reader && quality > 0).toSorted((a, b) => b.quality - a.quality);
  return best?.reader ?? (isTerminal(userAgent) ? 'text' : 'html');
}
