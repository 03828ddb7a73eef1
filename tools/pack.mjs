// `npm run pack`: packs every package that a user imports or runs as a tarball for `npm install`,
// into dist/packages/.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, prepare, requireNode, root } from './setup.mjs';

/** Dependencies come first. */
const PACKAGES = ['protocol', 'client', 'chains', 'gateway', 'elements', 'page', 'bff'];

prepare(requireNode, ensureInstalled, ensureBuilt);

const at = (...parts) => join(root, ...parts);
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const run = (command, args, cwd = root) => {
  const result = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (result.status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed:\n${result.stdout}${result.stderr}`);
  return result.stdout;
};

/** Files of other builds than the compiler's, by package: [from, to]. */
const BUILT = {
  // The bundle contains the templates of the browser scripts, because hydration requires
  // byte-identical templates.
  page: [
    ['dist/page-package', 'dist'],
    ['dist/elements', 'browser'],
  ],
  gateway: [['dist/dashboard', 'dashboard']],
};

const project = readJson(at('project.json'));
const out = at('dist', 'packages');
const staging = at('dist', 'staging');
rmSync(out, { recursive: true, force: true });
rmSync(staging, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

for (const name of PACKAGES) rmSync(at('packages', name, 'dist'), { recursive: true, force: true });
run(process.execPath, [
  at('node_modules', 'typescript', 'bin', 'tsc'),
  '-b',
  ...PACKAGES.map((name) => `packages/${name}`),
]);
run('npm', ['run', '-s', 'manifest', '-w', 'packages/elements']);

for (const name of PACKAGES) {
  const source = at('packages', name);
  const target = join(staging, name);
  const isWanted = (path) =>
    !path.endsWith('.tsbuildinfo') && !(name === 'page' && path.endsWith('.js'));
  cpSync(join(source, 'dist'), join(target, 'dist'), { recursive: true, filter: isWanted });
  for (const [from, to] of BUILT[name] ?? [])
    cpSync(at(from), join(target, to), { recursive: true });
  for (const file of ['README.md', 'types', 'bin']) {
    if (existsSync(join(source, file)))
      cpSync(join(source, file), join(target, file), { recursive: true });
  }
  cpSync(at('LICENSE'), join(target, 'LICENSE'));
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify(published(readJson(join(source, 'package.json'))), null, 2)}\n`,
  );
  console.log(
    `dist/packages/${run('npm', ['pack', '--silent', '--pack-destination', out], target).trim()}`,
  );
}
rmSync(staging, { recursive: true, force: true });

/**
 * The published package.json: without the source condition, scripts and development dependencies.
 */
function published({ scripts: _scripts, devDependencies: _development, exports, ...rest }) {
  return {
    ...rest,
    repository: { type: 'git', url: `git+${project.repository}.git` },
    exports: withoutSource(exports),
  };
}

function withoutSource(value) {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([condition]) => condition !== 'source');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutSource(inner)]));
}
