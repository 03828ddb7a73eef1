import core from 'qrcode/lib/core/qrcode.js';

export interface QrOptions {
  /**
   * `best` tries all eight masks as ISO 18004 asks; `fixed` takes the first one, which is many times faster and was measured to scan as
   * well: for a browser that must encode. Default `best`.
   */
  mask?: 'best' | 'fixed';
}

export interface QrModules {
  /** Modules on each side, quiet zone not included. */
  size: number;
  isDark(x: number, y: number): boolean;
}

/** The text does not fit into a code. */
export class QrError extends Error {
  override readonly name = 'QrError';
}

/**
 * A text as a QR code: SVG path data to be filled, in a square of `size` modules, without the quiet zone of four.
 * @throws QrError when the text is empty or too long.
 * @example encodeQr('bitcoin:BC1Q…') // {size: 33, path: 'M0 0h7v1h-7zm8 0h…'}
 */
export function encodeQr(text: string, options?: QrOptions): { size: number; path: string } {
  const modules = qrModules(text, options);
  let path = '';
  for (let y = 0; y < modules.size; y++) path += rowPath(modules, y);
  return { size: modules.size, path };
}

/** The same code as modules, for images. */
export function qrModules(text: string, options?: QrOptions): QrModules {
  if (text === '') throw new QrError('a QR code needs a text');
  if (text.length > LONGEST) throw new QrError(`no QR code holds these ${text.length} characters`);
  const { segments, sixths } = cheapestOf(text);
  try {
    const { modules } = core.create(segments, {
      errorCorrectionLevel: levelFor(Math.ceil(sixths / 6)),
      ...(options?.mask === 'fixed' && { maskPattern: 0 }),
    });
    return { size: modules.size, isDark: (x, y) => modules.get(y, x) === 1 };
  } catch (cause) {
    throw new QrError(`no QR code holds these ${text.length} characters`, { cause });
  }
}

/** Digits in a code of version 40, which holds nothing longer. */
const LONGEST = 7089;

/** ISO 18004 table 7: bytes that codes of versions 1 to 6 hold at each level of error correction, the strongest first. */
const ROOM = [
  ['H', [9, 16, 26, 36, 46, 60]],
  ['Q', [13, 22, 34, 48, 62, 76]],
  ['M', [16, 28, 44, 64, 86, 108]],
] as const;

/**
 * Addresses and payments in a chain's own coin get M, tokens, Liquid, LNURL and lightning requests L. On a screen nothing is torn or
 * stained: what keeps a camera from reading is that modules are small. Up to version 6 one is at least 5 px on a code of 16 rem, white
 * around it included; beyond that, L is one to three versions smaller than M. Then as strong as a code of that size can be: stronger
 * than L is never free above version 6.
 */
function levelFor(bits: number): 'L' | 'M' | 'Q' | 'H' {
  const version = ROOM[2][1].findIndex((bytes) => bits <= bytes * 8);
  return ROOM.find(([, bytes]) => bits <= (bytes[version] ?? 0) * 8)?.[0] ?? 'L';
}

interface Segment {
  data: string;
  mode: 'byte' | 'alphanumeric' | 'numeric';
}

/** ISO 18004 §7.4: what a character costs in each mode, in sixths of a bit, and what beginning a segment costs in codes of both sizes. */
const MODES = [
  { mode: 'byte', holds: /[^]/, sixths: 48, begins: [12, 20] },
  { mode: 'alphanumeric', holds: /[A-Z0-9 $%*+\-./:]/, sixths: 33, begins: [13, 15] },
  { mode: 'numeric', holds: /\d/, sixths: 20, begins: [14, 16] },
] as const;
/** Bits that a code of version 9 holds at L; from version 10 on, a segment's beginning is longer. */
const SMALL_BITS = 232 * 8;

interface Way {
  sixths: number;
  segments: Segment[];
}

/** The cheapest way to split a text: upper-case and digits take fewer bits in segments of their own, when these are long enough. */
function cheapestOf(text: string): Way {
  const small = cheapest(text, 0);
  return small.sixths > SMALL_BITS * 6 ? cheapest(text, 1) : small;
}

function cheapest(text: string, size: 0 | 1): Way {
  // The cheapest way to have written the text so far, by the mode of its last segment.
  let ways: (Way | undefined)[] = [];
  for (const data of text) {
    const bytes = new TextEncoder().encode(data).length;
    const before = ways;
    ways = MODES.map(({ mode, holds, sixths, begins }, index) => {
      if (!holds.test(data)) return undefined;
      const cost = mode === 'byte' ? sixths * bytes : sixths;
      const same = before[index];
      const best = before.length ? least(before) : { sixths: 0, segments: [] };
      // A segment is a whole number of bits.
      const begun = (Math.ceil(best.sixths / 6) + begins[size]) * 6;
      if (same && same.sixths <= begun) {
        const last = same.segments.at(-1)!;
        return { sixths: same.sixths + cost, segments: [...same.segments.slice(0, -1), { mode, data: last.data + data }] };
      }
      return { sixths: begun + cost, segments: [...best.segments, { mode, data }] };
    });
  }
  return least(ways);
}

const least = (ways: readonly (Way | undefined)[]): Way =>
  ways.reduce<Way | undefined>((best, way) => (way && (!best || way.sixths < best.sixths) ? way : best), undefined)!;

/**
 * One line around all dark runs of a row: down, along, up, and along the top to the next run; filling closes it. Short, and it
 * compresses well.
 */
function rowPath({ size, isDark }: QrModules, y: number): string {
  let path = '';
  let end = 0;
  for (let x = 0; x < size; x++) {
    if (!isDark(x, y)) continue;
    const start = x;
    while (x + 1 < size && isDark(x + 1, y)) x++;
    path += `${path === '' ? `M${start} ${y}` : `h${start - end}`}v1h${x + 1 - start}v-1`;
    end = x + 1;
  }
  return path;
}
