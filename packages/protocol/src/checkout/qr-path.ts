export interface QrModules {
  /** Modules on each side, quiet zone not included. */
  size: number;
  isDark(x: number, y: number): boolean;
}

/** A code as SVG path data, in a square of `size` modules, without the quiet zone. */
export interface QrPath {
  size: number;
  path: string;
}

/** A code as its modules, row by row: base64 of bits, the first module in the highest one. */
export interface QrBits {
  size: number;
  bits: string;
}

/** Draws modules as path data: one run of dark modules after another. */
export function drawPath(modules: QrModules): QrPath {
  let path = '';
  for (let y = 0; y < modules.size; y++) path += rowPath(modules, y);
  return { size: modules.size, path };
}

/**
 * One line around all dark runs of a row: down, along, up, and along the top to the next run; the
 * fill closes it. The path is short.
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

/** A code in half the compressed bytes. A path that `drawPath` would not draw stays as it is. */
export function packQr(qr: QrPath | QrBits): QrPath | QrBits {
  if ('bits' in qr) return qr;
  const bytes = new Uint8Array(Math.ceil(qr.size ** 2 / 8));
  for (const [, start, y, runs] of qr.path.matchAll(/M(\d+) (\d+)([^M]*)/g)) {
    let x = Number(start);
    for (const [, dark, light] of runs!.matchAll(/v1h(\d+)v-1(?:h(\d+))?/g)) {
      for (let end = x + Number(dark); x < end; x++) {
        const at = Number(y) * qr.size + x;
        bytes[at >> 3]! |= 128 >> (at & 7);
      }
      x += Number(light ?? 0);
    }
  }
  const packed = { size: qr.size, bits: btoa(String.fromCharCode(...bytes)) };
  return unpackQr(packed).path === qr.path ? packed : qr;
}

/**
 * The path data of a code.
 * @throws Error when the bits do not fit the size
 */
export function unpackQr(qr: QrPath | QrBits): QrPath {
  if (!('bits' in qr)) return qr;
  const { size, bits } = qr;
  const bytes = atob(bits);
  if (bytes.length !== Math.ceil(size ** 2 / 8))
    throw new RangeError(`a code of ${size} modules has other bits than these`);
  const isDark = (x: number, y: number): boolean => {
    const at = y * size + x;
    return (bytes.charCodeAt(at >> 3) & (128 >> (at & 7))) !== 0;
  };
  return drawPath({ size, isDark });
}
