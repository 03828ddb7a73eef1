import { brotliCompressSync, constants } from 'node:zlib';
import { allLocales } from '@crypto-checkout/elements/generated/locale-codes';
import { describe, expect, it } from 'vitest';
import { importBuilt } from '../test/support/built.ts';
import { HEAVY, files, request } from '../test/support/views.ts';

/** Bytes of a connection before the first acknowledgement, minus those of the handshake. */
const FIRST_FLIGHT = 9000;

const page = (await importBuilt()).createPage({ files: files(allLocales) });

function onTheWire(at: number, lang: string): number {
  const [, view, show = null] = HEAVY[at]!;
  const { html, headers } = page.render(
    request(view, { lang, show, successUrl: 'https://shop.example/thanks?order=1042' }),
  );
  const body = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } }).length;
  const all = {
    ...headers,
    'content-encoding': 'br',
    'content-length': '9000',
    date: 'Sat, 21 Nov 2026 12:00:00 GMT',
  };
  return Object.entries(all).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 4,
    body + 'HTTP/1.1 200 OK\r\n\r\n'.length,
  );
}

describe('the first response of the hosted page, headers included', () => {
  it.each(HEAVY.map(([name], at) => [name, at] as const))(
    'fits into the first flight of a connection in every language: %s',
    (_, at) => {
      const sizes = Object.fromEntries(allLocales.map((lang) => [lang, onTheWire(at, lang)]));
      const largest = Object.entries(sizes).toSorted(([, a], [, b]) => b - a)[0]!;
      if (process.env['SIZES']) console.log(_, largest, sizes['en']);
      expect(largest[1], largest[0]).toBeLessThanOrEqual(FIRST_FLIGHT);
    },
  );
});
