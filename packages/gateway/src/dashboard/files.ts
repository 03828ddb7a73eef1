import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface BuiltFile {
  type: string;
  body: Uint8Array<ArrayBuffer>;
  /** The same, brotli-compressed at build time; null for small files. */
  brotli: Uint8Array<ArrayBuffer> | null;
}

/** The built dashboard: one page for every address, and its files. */
export interface BuiltDashboard {
  page: BuiltFile;
  files: ReadonlyMap<string, BuiltFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Relative to `dist/server/`, to a chunk of it, to an installed package, and to the sources. */
const PLACES = ['../dashboard/', '../../dashboard/', '../../../../dist/dashboard/'];

/** Folder of the built dashboard. */
export function builtFolder(): string | null {
  const folders = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null;
}

/** Reads all files into memory: some ten kilobytes. */
export function readDashboard(folder: string): BuiltDashboard {
  const read = (name: string): BuiltFile => {
    const compressed = join(folder, `${name}.br`);
    return {
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      body: bytes(join(folder, name)),
      brotli: existsSync(compressed) ? bytes(compressed) : null,
    };
  };
  const names = readdirSync(folder).filter(
    (name) => extname(name) in TYPES && name !== 'index.html',
  );
  return { page: read('index.html'), files: new Map(names.map((name) => [name, read(name)])) };
}

const bytes = (file: string): Uint8Array<ArrayBuffer> => Uint8Array.from(readFileSync(file));
