import type { Locator } from '@playwright/test';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/** Reads a QR code as a camera does: from the pixels of a screenshot. */
export function decodeQr(png: Buffer): string | null {
  const { data, width, height } = PNG.sync.read(png);
  const decode = jsQR as unknown as (pixels: Uint8ClampedArray, width: number, height: number) => { data: string } | null;
  return decode(new Uint8ClampedArray(data), width, height)?.data ?? null;
}

export const readQr = async (code: Locator): Promise<string | null> => decodeQr(await code.screenshot());
