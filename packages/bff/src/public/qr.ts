import { qrModules } from '@crypto-checkout/protocol/qr';
import type { PaymentStrings } from '@crypto-checkout/protocol/payment-string';
import { qrOf } from '../checkout/strings.ts';
import type { HostAbilities } from '../options.ts';

const QUIET = 4;
const MAX_IMAGES = 300;

/** What a QR image holds (decisions, "Payment strings"): `address_only` the bare address, `full` with the amount, else the default. */
export function qrText(strings: PaymentStrings, { addressOnly, full }: { addressOnly: boolean; full: boolean }): string {
  if (addressOnly) return strings.addressOnly;
  return full ? strings.full : strings.qr;
}

/** SVG with its quiet zone, black on white: no theme can break it. */
export function qrSvg(text: string): string {
  const { size, path } = qrOf(text);
  const side = size + 2 * QUIET;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<rect width="${side}" height="${side}" fill="#fff"/><path transform="translate(${QUIET} ${QUIET})" d="${path}"/></svg>`
  );
}

/** PNG images, drawn once per text. */
export function createQrPng(draw: NonNullable<HostAbilities['png']>): (text: string) => Uint8Array<ArrayBuffer> {
  const images = new Map<string, Uint8Array<ArrayBuffer>>();
  return function qrPng(text) {
    const known = images.get(text);
    if (known) return known;
    if (images.size >= MAX_IMAGES) images.clear();
    const image = draw(qrModules(text));
    images.set(text, image);
    return image;
  };
}
