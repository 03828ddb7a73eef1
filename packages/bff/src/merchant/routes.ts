import type { Hono } from 'hono';
import type { Services } from '../services.ts';
import { logoName } from './merchant.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * An SVG file can hold scripts and links. Nothing in it may load or run, also when the file
 * itself is opened; its own styles draw it.
 */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The picture of link previews, which has no name in the view. */
export const PREVIEW_PATH = 'merchant/preview.png';

/** Serves the shop's logo, and the picture of link previews. */
export function merchantRoutes(app: Hono, { options, headers }: Services): void {
  const { merchantLogo, merchantColor, host } = options;
  const send = (body: Uint8Array<ArrayBuffer>, type: string, cache: string): Response =>
    new Response(body, {
      headers: {
        ...headers.file,
        'content-type': type,
        'content-security-policy': IMAGE_POLICY,
        'cache-control': cache,
      },
    });
  if (merchantLogo)
    app.get(`/merchant/${logoName(merchantLogo)}`, () =>
      send(merchantLogo.body, merchantLogo.type, IMMUTABLE),
    );
  const preview =
    merchantLogo?.type === 'image/png' ? merchantLogo.body : host?.preview?.(merchantColor ?? null);
  if (preview) app.get(`/${PREVIEW_PATH}`, () => send(preview, 'image/png', 'public, max-age=300'));
}

/** Whether link previews have a picture. */
export const hasPreview = ({ merchantLogo, host }: Services['options']): boolean =>
  merchantLogo?.type === 'image/png' || host?.preview !== undefined;
