import type { QrTarget } from '../../core/contracts.ts';

/**
 * Encodes a QR code that the server did not send. Draws none if the encoder fails or the text is
 * too long: address and amount are shown anyway.
 */
export async function encodeQrFor(element: QrTarget, text: string): Promise<void> {
  try {
    const { encodeQr } = await import('@crypto-checkout/protocol/qr');
    const { size, path } = encodeQr(text, { mask: 'fixed' });
    if (text === element.value && !element.path) Object.assign(element, { size, path, made: path });
  } catch {
    // The code is optional.
  }
}
