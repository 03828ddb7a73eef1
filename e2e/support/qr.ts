import type { Locator } from '@playwright/test';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/**
 * Reads a QR code as a camera does: from the pixels of a screenshot, dark on white only, because
 * not every scanner reads inverted codes.
 */
export function decodeQr(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png);
  return (
    decode(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data ??
    null
  );
}

type Decode = (
  pixels: Uint8ClampedArray,
  width: number,
  height: number,
  options: { inversionAttempts: 'dontInvert' },
) => { data: string } | null;
const decode = jsQR as unknown as Decode;

export const readQr = async (code: Locator): Promise<string | null> =>
  decodeQr(await code.screenshot());
