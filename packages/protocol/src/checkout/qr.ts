import core from 'qrcode/lib/core/qrcode.js';
import { type QrModules, type QrPath, drawPath } from './qr-path.ts';

export type { QrModules } from './qr-path.ts';

export interface QrOptions {
  /**
   * `best` tries all eight masks, as ISO 18004 requires. `fixed` uses the first mask: many times
   * faster, measured to scan as well, for encoding in a browser. Default `best`.
   */
  mask?: 'best' | 'fixed';
}

/** The text is empty or does not fit into a code. */
export class QrError extends Error {
  override readonly name = 'QrError';
}

/**
 * Encodes a text as SVG path data, in a square of `size` modules, without the quiet zone of four.
 * @throws QrError when the text is empty or too long.
 * @example encodeQr('bitcoin:BC1Q…') // {size: 33, path: 'M0 0h7v1h-7zm8 0h…'}
 */
export function encodeQr(text: string, options?: QrOptions): QrPath {
  return drawPath(qrModules(text, options));
}

/** Encodes a text as modules, for images. */
export function qrModules(text: string, options?: QrOptions): QrModules {
  if (text === '') throw new QrError('a QR code needs a text');
  if (text.length > MAX_CHARACTERS)
    throw new QrError(`no QR code holds these ${text.length} characters`);
  const { segments, sixths } = cheapestSplit(text);
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

/** Digits in a code of version 40, the largest. */
const MAX_CHARACTERS = 7089;

/**
 * ISO 18004, table 7: capacity in bytes of versions 1 to 6 per level of error correction, the
 * strongest first.
 */
const CAPACITIES = [
  ['H', [9, 16, 26, 36, 46, 60]],
  ['Q', [13, 22, 34, 48, 62, 76]],
  ['M', [16, 28, 44, 64, 86, 108]],
] as const;

/**
 * Level of error correction. Up to the capacity of version 6 at level M, the strongest level that
 * needs no larger version than M: on a code of 16 rem with its quiet zone, a module is then at
 * least 5 px. Longer texts get L, which is one to three versions smaller than M: a screen is never
 * torn or stained, and cameras fail on small modules.
 */
function levelFor(bits: number): 'L' | 'M' | 'Q' | 'H' {
  const version = CAPACITIES[2][1].findIndex((bytes) => bits <= bytes * 8);
  return CAPACITIES.find(([, bytes]) => bits <= (bytes[version] ?? 0) * 8)?.[0] ?? 'L';
}

interface Segment {
  data: string;
  mode: 'byte' | 'alphanumeric' | 'numeric';
}

/**
 * ISO 18004, section 7.4: the cost of a character in each mode, in sixths of a bit, and the cost of
 * a segment's header, in bits, in small and large codes.
 */
const MODES = [
  { mode: 'byte', pattern: /[^]/, sixths: 48, header: [12, 20] },
  { mode: 'alphanumeric', pattern: /[A-Z0-9 $%*+\-./:]/, sixths: 33, header: [13, 15] },
  { mode: 'numeric', pattern: /\d/, sixths: 20, header: [14, 16] },
] as const;
/** Capacity of version 9 at level L, in bits; from version 10 on, segment headers are longer. */
const SMALL_BITS = 232 * 8;

/** A split of the text into segments, with its cost. */
interface Split {
  sixths: number;
  segments: Segment[];
}

/**
 * The cheapest split: long runs of upper-case letters or digits take fewer bits in segments of
 * their own.
 */
function cheapestSplit(text: string): Split {
  const small = cheapest(text, 0);
  return small.sixths > SMALL_BITS * 6 ? cheapest(text, 1) : small;
}

function cheapest(text: string, size: 0 | 1): Split {
  // The cheapest split of the text so far, by the mode of its last segment.
  let splits: (Split | undefined)[] = [];
  for (const data of text) {
    const bytes = new TextEncoder().encode(data).length;
    const before = splits;
    splits = MODES.map(({ mode, pattern, sixths, header }, index) => {
      if (!pattern.test(data)) return undefined;
      const cost = mode === 'byte' ? sixths * bytes : sixths;
      const same = before[index];
      const best = before.length ? least(before) : { sixths: 0, segments: [] };
      // A segment is a whole number of bits.
      const begun = (Math.ceil(best.sixths / 6) + header[size]) * 6;
      if (same && same.sixths <= begun) {
        const last = same.segments.at(-1)!;
        return {
          sixths: same.sixths + cost,
          segments: [...same.segments.slice(0, -1), { mode, data: last.data + data }],
        };
      }
      return { sixths: begun + cost, segments: [...best.segments, { mode, data }] };
    });
  }
  return least(splits);
}

const least = (splits: readonly (Split | undefined)[]): Split =>
  splits.reduce<Split | undefined>(
    (best, split) => (split && (!best || split.sixths < best.sixths) ? split : best),
    undefined,
  )!;
