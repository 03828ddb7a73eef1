import { PNG } from 'pngjs';

/** The size that link previews show whole (Open Graph): 1.91 to 1. */
const WIDTH = 600;
const HEIGHT = 314;
const DEFAULT_COLOR = '#2746c7';
/** A code in the middle: its modules, and the pixels of each. */
const MODULES = 21;
const PIXELS = 9;
const QUIET = 2;

/** The picture of link previews: a payment code on the shop's colour. */
export function drawPreview(color: string | null): Uint8Array<ArrayBuffer> {
  const png = new PNG({ width: WIDTH, height: HEIGHT, colorType: 2, inputHasAlpha: true });
  const back = rgb(color ?? DEFAULT_COLOR);
  const side = (MODULES + 2 * QUIET) * PIXELS;
  const [left, top] = [(WIDTH - side) >> 1, (HEIGHT - side) >> 1];
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) {
      const [column, row] = [x - left, y - top].map((at) => Math.floor(at / PIXELS));
      const pixel = colorAt(column!, row!, back);
      png.data.set([...pixel, 255], (y * WIDTH + x) * 4);
    }
  return Uint8Array.from(PNG.sync.write(png, { colorType: 2, inputHasAlpha: true }));
}

const rgb = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** A white card with the code in the shop's colour. */
function colorAt(column: number, row: number, back: number[]): number[] {
  const size = MODULES + 2 * QUIET;
  if (column < 0 || row < 0 || column >= size || row >= size) return back;
  return isDark(column - QUIET, row - QUIET) ? back : [255, 255, 255];
}

/** Three finder patterns (ISO/IEC 18004), and modules that hold no data. */
function isDark(column: number, row: number): boolean {
  if (column < 0 || row < 0 || column >= MODULES || row >= MODULES) return false;
  for (const [left, top] of [
    [0, 0],
    [MODULES - 7, 0],
    [0, MODULES - 7],
  ] as const) {
    const ring = Math.max(Math.abs(column - left - 3), Math.abs(row - top - 3));
    if (ring <= 3) return ring !== 2;
    if (ring === 4) return false;
  }
  return (column * 7 + row * 11 + ((column * row) % 5)) % 3 === 0;
}
