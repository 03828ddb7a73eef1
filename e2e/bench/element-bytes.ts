import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { smallestBrotli } from '../../tools/smallest-brotli.mjs';
import type { Line } from './line.ts';

const elements = fileURLToPath(new URL('../../dist/elements/', import.meta.url));

/** The size of a file as the build compresses it. */
export const brotli = (body: Buffer): number => smallestBrotli(body).length;

/** A module and its static imports. */
export function withImports(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const code = readFileSync(join(elements, entry), 'utf8');
  for (const [, file] of code.matchAll(
    /(?:^|[;}\s])(?:import|export)\s*(?:[\w*{}\s,$]+from\s*)?["']\.\/([\w.-]+)["']/g,
  ))
    if (file) withImports(file, seen);
  return seen;
}

/**
 * A Lit hello-world built with the same tools: the minimum of any Lit page; `hydrates` when a
 * server renders it.
 */
export async function bytesOfHello({ hydrates = false } = {}): Promise<number> {
  const folder = await mkdtemp(
    fileURLToPath(new URL('../../test-results/hello-', import.meta.url)),
  );
  try {
    await writeFile(
      join(folder, 'hello.js'),
      `${hydrates ? `import '@lit-labs/ssr-client/lit-element-hydrate-support.js';\n` : ''}import { LitElement, html } from 'lit';\ncustomElements.define('hello-world', class extends LitElement { render() { return html\`<p>Hello</p>\`; } });\n`,
    );
    await build({
      configFile: false,
      logLevel: 'silent',
      root: folder,
      build: {
        target: 'es2022',
        outDir: 'out',
        modulePreload: false,
        rolldownOptions: { input: join(folder, 'hello.js') },
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

/** Files that load while the first view is requested and read. */
const LATER = ['picker', 'controller', 'status', 'hand-off'];

/**
 * The bytes that a buyer downloads to see and pay, in the largest language, against a Lit
 * hello-world; and the files after that.
 */
export async function bytesOfElement(): Promise<Line[]> {
  const hello = await bytesOfHello();
  const sizeOf = (file: string): number => brotli(readFileSync(join(elements, file)));
  const sum = (files: readonly string[]): number =>
    files.reduce((bytes, file) => bytes + sizeOf(file), 0);
  const { locales } = JSON.parse(readFileSync(join(elements, 'manifest.json'), 'utf8')) as {
    locales: Record<string, string>;
  };
  const language = Object.values(locales).toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]!;
  const script = [...withImports('crypto-checkout.mjs')];
  const first = [...script, language];
  const code = readFileSync(join(elements, 'crypto-checkout.mjs'), 'utf8');
  const lazy = LATER.map((name) => new RegExp(`\\./(${name}-[\\w-]+\\.mjs)`).exec(code)?.[1] ?? '');
  if (lazy.includes(''))
    throw new Error(`crypto-checkout.mjs does not name all of ${LATER.join(', ')}`);
  const texts = language.replace(/-([\w-]{8})\.mjs$/, '-later-$1.mjs');
  const all = [...new Set([...lazy.flatMap((file) => [...withImports(file)]), texts])].filter(
    (file) => !first.includes(file),
  );
  const choosing = [...new Set([...withImports(lazy[0]!), texts])].filter(
    (file) => !first.includes(file),
  );
  const named = (files: readonly string[]): string =>
    files.map((file) => `${file} ${sizeOf(file)} B`).join(', ');
  return [
    {
      what: 'element, script and largest language, against a hello-world',
      value: sum(first) / hello,
      unit: '×',
      // The pay screen's amount, network, folded code and price formats take a quarter.
      atMost: 2.55,
      detail: `${sum(first)} B (${named(first)}) against ${hello} B`,
    },
    {
      what: 'element, what choosing a coin waits for besides',
      value: sum(choosing),
      unit: 'B',
      digits: 0,
      detail: named(choosing),
    },
    {
      what: 'element, all that is fetched while the buyer reads',
      value: sum(all),
      unit: 'B',
      digits: 0,
      detail: named(all),
    },
  ];
}
