import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { ElementFiles } from '@crypto-checkout/page';
import { z } from 'zod';
import { type BffOptions, type ElementFile, OptionsError } from '../options.ts';

const Manifest = z.looseObject({
  version: z.string(),
  embed: z.string(),
  classic: z.string(),
  page: z.string(),
  locales: z.record(z.string(), z.string()),
  sri: z.record(z.string(), z.string()),
});

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  // Modules are always UTF-8.
  mjs: 'text/javascript',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/**
 * The folder with the build of the elements: beside the built server, or below the root of the
 * sources. Null before the first build.
 * @param main URL of the file of the server.
 */
export function builtElements(main: string): string | null {
  // A built server must not use the folder of a source tree around it.
  const path = new URL(main).pathname.endsWith('/packages/bff/src/main.ts')
    ? '../../../dist/elements'
    : '../elements';
  const place = fileURLToPath(new URL(path, main));
  return existsSync(join(place, 'manifest.json')) ? place : null;
}

/**
 * Reads the built browser files into memory: they are few and small, and do not change.
 * @throws OptionsError
 */
export function readElements(folder: string): NonNullable<BffOptions['elements']> {
  try {
    const manifest = Manifest.parse(
      JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')),
    );
    const names = readdirSync(folder).filter((name) => typeOf(name) !== undefined);
    const files = new Map(names.map((name) => [name, readElement(folder, name)]));
    return { manifest: manifest as unknown as ElementFiles, files };
  } catch (error) {
    throw new OptionsError(
      `ELEMENTS_DIR must be a folder with the built elements and their manifest.json, which "${folder}" is not.`,
      {
        cause: error,
      },
    );
  }
}

function readElement(folder: string, name: string): ElementFile {
  const body = bytes(join(folder, name));
  return {
    body,
    gzip: Uint8Array.from(gzipSync(body, { level: 9 })),
    brotli: bytesOrNull(join(folder, `${name}.br`)),
    type: typeOf(name) ?? 'application/octet-stream',
  };
}

function typeOf(name: string): string | undefined {
  return TYPES[name.split('.').at(-1) ?? ''];
}

function bytes(path: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(readFileSync(path));
}

function bytesOrNull(path: string): Uint8Array<ArrayBuffer> | null {
  try {
    return bytes(path);
  } catch {
    return null;
  }
}
