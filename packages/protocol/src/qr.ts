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

/** Upper-case text, as of bech32 and BOLT11, takes fewer bits in a segment of its own; shorter runs do not pay for the switch. */
const ALPHANUMERIC_RUN = /([A-Z0-9 $%*+\-./:]{15,})/;

/**
 * A text as a QR code (error correction M): SVG path data to be filled, in a square of `size` modules, without the quiet zone of four.
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
  const segments = text
    .split(ALPHANUMERIC_RUN)
    .map((data, index) => ({ data, mode: index % 2 === 1 ? ('alphanumeric' as const) : ('byte' as const) }))
    .filter(({ data }) => data !== '');
  try {
    const { modules } = core.create(segments, {
      errorCorrectionLevel: 'M',
      ...(options?.mask === 'fixed' && { maskPattern: 0 }),
    });
    return { size: modules.size, isDark: (x, y) => modules.get(y, x) === 1 };
  } catch (cause) {
    throw new QrError(`no QR code holds these ${text.length} characters`, { cause });
  }
}

/** One rectangle per run of dark modules, each moved to from the last one's corner: short, and it compresses well. */
function rowPath({ size, isDark }: QrModules, y: number): string {
  let path = '';
  let corner = 0;
  for (let x = 0; x < size; x++) {
    if (!isDark(x, y)) continue;
    const start = x;
    while (x + 1 < size && isDark(x + 1, y)) x++;
    const width = x - start + 1;
    path += `${path === '' ? `M${start} ${y}` : `m${start - corner} 0`}h${width}v1h-${width}z`;
    corner = start;
  }
  return path;
}
