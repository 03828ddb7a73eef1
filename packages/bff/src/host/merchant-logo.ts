import { readFileSync } from 'node:fs';
import { MAX_LOGO, type MerchantImage } from '../merchant/merchant.ts';
import { OptionsError } from '../options.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Reads the shop's logo. Its content decides the type, not its name.
 * @throws OptionsError
 */
export function readLogo(path: string): MerchantImage {
  const refuse = (why: string): never => {
    throw new OptionsError(
      `MERCHANT_LOGO must be a file with an SVG or PNG image of at most ${MAX_LOGO} bytes: "${path}" ${why}.`,
    );
  };
  const body = readFile(path) ?? refuse('cannot be read');
  if (body.length > MAX_LOGO) refuse(`has ${body.length}`);
  if (body.subarray(0, PNG.length).equals(PNG))
    return { body: Uint8Array.from(body), type: 'image/png' };
  if (
    /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/.test(
      body.toString(),
    )
  )
    return { body: Uint8Array.from(body), type: 'image/svg+xml' };
  return refuse('is neither');
}

function readFile(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
