import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { brotli } from './element-bytes.ts';
import type { Line } from './line.ts';

const elements = fileURLToPath(new URL('../../dist/elements/', import.meta.url));

/**
 * The encoder that a browser loads when no server has drawn the code, against the core of the
 * `qrcode` package.
 */
export async function qrEncoder(): Promise<Line[]> {
  const ours = readdirSync(elements).filter((file) => /^qr-[\w-]{6,8}\.mjs$/.test(file));
  const sizes = ours.map((file) => brotli(readFileSync(join(elements, file))));
  if (!sizes.length) throw new Error('dist/elements holds no encoder');
  const core = await bytesOfCore();
  return [
    {
      what: 'QR encoder, brotli bytes against the core of qrcode',
      value: Math.max(...sizes) / core,
      unit: '×',
      atMost: 1,
      detail: `${Math.max(...sizes)} B against ${core} B`,
    },
  ];
}

/** The package's core with the shortest path writer, built with the same tools. */
async function bytesOfCore(): Promise<number> {
  const folder = await mkdtemp(
    fileURLToPath(new URL('../../test-results/qrcode-', import.meta.url)),
  );
  try {
    await writeFile(
      join(folder, 'core.js'),
      "import { create } from 'qrcode/lib/core/qrcode.js';\nexport const modules = (text) => create(text, { errorCorrectionLevel: 'M' }).modules;\n",
    );
    await build({
      configFile: false,
      logLevel: 'silent',
      root: folder,
      build: {
        target: 'es2022',
        outDir: 'out',
        modulePreload: false,
        rolldownOptions: { input: join(folder, 'core.js'), preserveEntrySignatures: 'strict' },
      },
    });
    const assets = join(folder, 'out', 'assets');
    const sizes = await Promise.all(
      (await readdir(assets)).map(async (file) => brotli(await readFile(join(assets, file)))),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
