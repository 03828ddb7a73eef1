import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';
import type { Line } from './line.ts';

const elements = fileURLToPath(new URL('../../dist/elements/', import.meta.url));

export const brotli = (body: Buffer | string): number =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

/** The files that a module asks for before it can run: itself and its static imports. */
export function withImports(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const code = readFileSync(join(elements, entry), 'utf8');
  for (const [, file] of code.matchAll(/(?:^|[;}\s])(?:import|export)\s*(?:[\w*{}\s,$]+from\s*)?["']\.\/([\w.-]+)["']/g))
    if (file) withImports(file, seen);
  return seen;
}

/** A Lit element that says hello, built with the same tools: what any Lit page pays at least; `hydrates` when a server renders it. */
export async function bytesOfHello({ hydrates = false } = {}): Promise<number> {
  const folder = await mkdtemp(fileURLToPath(new URL('../../test-results/hello-', import.meta.url)));
  try {
    await writeFile(
      join(folder, 'hello.js'),
      `${hydrates ? `import '@lit-labs/ssr-client/lit-element-hydrate-support.js';\n` : ''}import { LitElement, html } from 'lit';\ncustomElements.define('hello-world', class extends LitElement { render() { return html\`<p>Hello</p>\`; } });\n`,
    );
    await build({
      configFile: false,
      logLevel: 'silent',
      root: folder,
      build: { target: 'es2022', outDir: 'out', modulePreload: false, rolldownOptions: { input: join(folder, 'hello.js') } },
    });
    const assets = join(folder, 'out', 'assets');
    const sizes = await Promise.all((await readdir(assets)).map(async (file) => brotli(await readFile(join(assets, file)))));
    return sizes.reduce((sum, size) => sum + size, 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a buyer downloads to see and pay, against a Lit hello-world: the QR encoder and rare features load on demand. */
export async function bytesOfElement(): Promise<Line[]> {
  const hello = await bytesOfHello();
  const files = [...withImports('crypto-checkout.mjs')];
  const ours = files.reduce((sum, file) => sum + brotli(readFileSync(join(elements, file))), 0);
  return [
    {
      what: 'element, brotli bytes against a Lit hello-world',
      value: ours / hello,
      unit: '×',
      atMost: 2.5,
      detail: `${ours} B (${files.join(', ')}) against ${hello} B`,
    },
  ];
}
