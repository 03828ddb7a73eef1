// Builds everything into dist/: browser files with their hashes and brotli copies, one file per
// server, and the examples.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { serverEntry } from './server-entry.mjs';
import { prepare, requireNode, root } from './setup.mjs';
import { smallestBrotli } from './smallest-brotli.mjs';

prepare(requireNode);
const at = (...parts) => join(root, ...parts);

// Tests build with NODE_ENV `test`, which would bundle development code of libraries.
process.env.NODE_ENV = 'production';

// The servers in dist/ resolve libraries from the root, so each must have the version that its
// package declares.
for (const packageName of ['protocol', 'client', 'gateway', 'bff', 'page', 'elements', 'dashboard'])
  for (const [name, wanted] of Object.entries(
    JSON.parse(readFileSync(at('packages', packageName, 'package.json'), 'utf8')).dependencies ??
      {},
  )) {
    const { version } = JSON.parse(readFileSync(at('node_modules', name, 'package.json'), 'utf8'));
    if (version !== wanted)
      throw new Error(
        `${packageName} needs ${name} ${wanted}, but node_modules has ${version} at the root; list it in the root package.json.`,
      );
  }

// An untranslated text would leave part of a page in English.
const source = (folder, wanted) =>
  readdirSync(at(folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        file.endsWith('.ts') && !file.endsWith('.test.ts') && wanted(file.replaceAll('\\', '/')),
    )
    .map((file) => readFileSync(at(folder, file), 'utf8'))
    .join('\n');
const elements = 'packages/elements/src';
const ids = [
  ...source(elements, (file) => !/^(generated|scenario)\//.test(file)).matchAll(
    /\bid: '([a-z_.]+)',?\s*\}/g,
  ),
].map(([, id]) => id);
if (ids.length < 100) throw new Error(`only ${ids.length} texts are found in ${elements}`);
for (const name of readdirSync(at(elements, 'generated', 'first'))) {
  const texts = source(
    `${elements}/generated`,
    (file) => /^(first|later)\//.test(file) && file.endsWith(`/${name}`),
  );
  const missing = [...new Set(ids)].filter((id) => !texts.includes(`'${id}': `));
  if (missing.length)
    throw new Error(
      `${name.replace(/\.ts$/, '')} has no text for ${missing.join(', ')}: npm run i18n -w packages/elements`,
    );
}

const vite = spawnSync(
  process.execPath,
  [at('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--app', '--logLevel', 'warn'],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
if (vite.status !== 0) process.exit(vite.status ?? 1);

for (const file of readdirSync(at('dist', 'server')).filter((name) =>
  name.endsWith('-program.mjs'),
))
  writeFileSync(
    at('dist', 'server', file.replace('-program', '')),
    serverEntry(file),
    // The commands can be called by their path.
    { mode: 0o755 },
  );

const target = at('dist', 'elements');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const part of ['embed', 'hydrate', 'classic', 'sdk', 'page'])
  cpSync(at('dist', part), target, { recursive: true });

const sri = {};
const sizes = {};
for (const file of readdirSync(target)
  .filter((name) => /\.m?js$/.test(name))
  .toSorted()) {
  const body = readFileSync(join(target, file));
  const brotli = smallestBrotli(body);
  sri[file] = `sha384-${createHash('sha384').update(body).digest('base64')}`;
  sizes[file] = { raw: body.length, gzip: gzipSync(body, { level: 9 }).length, br: brotli.length };
  writeFileSync(join(target, `${file}.br`), brotli);
}

const page = readdirSync(at('dist', 'page'));
const languages = readdirSync(at('packages', 'elements', 'src', 'generated', 'first')).map((name) =>
  name.replace(/\.ts$/, ''),
);
const { version } = JSON.parse(readFileSync(at('packages', 'elements', 'package.json'), 'utf8'));
const manifest = {
  version,
  embed: 'crypto-checkout.mjs',
  classic: 'crypto-checkout.js',
  page: page.find((name) => /^page-[\w-]+\.mjs$/.test(name)),
  ssr: 'crypto-checkout-ssr.mjs',
  sdk: 'sdk2.js',
  // The language files that the page's script requests first.
  locales: Object.fromEntries(
    languages.flatMap((code) =>
      page
        .filter((name) => new RegExp(`^${code}-[\\w-]{8}\\.mjs$`).test(name))
        .map((name) => [code, name]),
    ),
  ),
  sri,
  sizes,
};
writeFileSync(join(target, 'manifest.json'), JSON.stringify(manifest, null, 1));

// The dashboard's only page, with the names of its files, and their compressed copies.
const dashboard = at('dist', 'dashboard');
const icon = readFileSync(at('packages', 'dashboard', 'src', 'icon.svg'));
writeFileSync(
  join(dashboard, `icon-${createHash('sha256').update(icon).digest('base64url').slice(0, 8)}.svg`),
  icon,
);
const fileOf = (pattern) => readdirSync(dashboard).find((name) => pattern.test(name));
const names = {
  icon: fileOf(/\.svg$/),
  style: fileOf(/\.css$/),
  script: fileOf(/^dashboard-.*\.mjs$/),
};
const shell = readFileSync(at('packages', 'dashboard', 'index.html'), 'utf8');
writeFileSync(
  join(dashboard, 'index.html'),
  shell.replace(/\{(\w+)\}/g, (_, name) => names[name]),
);
for (const file of readdirSync(dashboard).filter((name) => /\.(?:css|mjs)$/.test(name))) {
  const compressed = smallestBrotli(readFileSync(join(dashboard, file)));
  writeFileSync(join(dashboard, `${file}.br`), compressed);
}

// The examples that the demo shop serves.
await import('../demo/frameworks/build.mjs');
