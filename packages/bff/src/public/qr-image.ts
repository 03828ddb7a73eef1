import { qrModules } from '@crypto-checkout/protocol/qr';
import type { PaymentStrings } from '@crypto-checkout/protocol/payment-string';
import { cachedQr } from '../checkouts/presenter/payment-strings.ts';
import type { HostAbilities } from '../options.ts';

const QUIET = 4;
const MAX_IMAGES = 300;

/**
 * The text of a QR image: `address_only` the bare address, `full` with the amount, else the
 * default.
 */
export function qrText(
  strings: PaymentStrings,
  { addressOnly, full }: { addressOnly: boolean; full: boolean },
): string {
  if (addressOnly) return strings.addressOnly;
  return full ? strings.full : strings.qr;
}

/** SVG with its quiet zone, black on white in every theme. */
export function qrSvg(text: string): string {
  const { size, path } = cachedQr(text);
  const side = size + 2 * QUIET;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<rect width="${side}" height="${side}" fill="#fff"/><path transform="translate(${QUIET} ${QUIET})" d="${path}"/></svg>`
  );
}

/** Draws PNG images, once per text. */
export function createQrPng(
  draw: NonNullable<HostAbilities['png']>,
): (text: string) => Uint8Array<ArrayBuffer> {
  const images = new Map<string, Uint8Array<ArrayBuffer>>();
  return function qrPng(text) {
    const cached = images.get(text);
    if (cached) return cached;
    if (images.size >= MAX_IMAGES) images.clear();
    const image = draw(qrModules(text));
    images.set(text, image);
    return image;
  };
}
