// What every command needs before it can run, with nothing but Node: packages, a build, a browser. Each step runs only when it is due.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);

/** Runs a command and stops with its output when it fails. What it says is never on stdout, where the result of what comes after is read. */
const run = (command, args, { quiet = false, ...options } = {}) => {
  const stdio = quiet ? 'pipe' : ['inherit', 2, 'inherit'];
  const result = spawnSync(command, args, { cwd: root, stdio, encoding: 'utf8', ...options });
  if (result.status !== 0) {
    if (quiet) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
    throw new Error(`${command} ${args.join(' ')} failed (${result.error?.message ?? `exit ${result.status ?? result.signal}`})`);
  }
  return result.stdout;
};

export const requireNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`Node ${process.versions.node} is too old: Crypto Checkout needs Node 20.19 or newer.`);
};

const digest = (files) => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(at(file)));
  return hash.digest('hex');
};

/** Installs the packages of the lock file when they are missing or belong to another lock file. */
export const ensureInstalled = () => {
  const mark = at('node_modules', '.crypto-checkout-lock');
  const wanted = digest(['package-lock.json']);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  console.error('Installing packages (npm ci), about half a minute …');
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) run(process.execPath, [npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error']);
  else run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { shell: process.platform === 'win32' });
  writeFileSync(mark, wanted);
};

const sources = (folder) =>
  readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name === 'test' || entry.name.endsWith('.test.ts')) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? sources(path) : [path];
  });

/** Builds when a source changed since the last build; who finds another at it waits for that one. */
export const ensureBuilt = () => {
  const files = [...sources('packages'), ...sources('demo'), 'vite.config.ts', '.ci/build.mjs', 'package-lock.json'].toSorted((a, b) =>
    a < b ? -1 : 1,
  );
  const mark = at('dist', '.sources');
  const wanted = digest(files);
  const isCurrent = () => existsSync(mark) && readFileSync(mark, 'utf8') === wanted;
  if (isCurrent()) return;
  mkdirSync(at('dist'), { recursive: true });
  const release = takeTurn(at('dist', '.building'));
  try {
    if (isCurrent()) return;
    console.error('Building …');
    run(process.execPath, [at('.ci', 'build.mjs')], { quiet: true });
    writeFileSync(mark, wanted);
  } finally {
    release();
  }
};

/** Waits until nobody alive has its process number in this file, and writes ours. */
const takeTurn = (file) => {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAlive(Number(existsSync(file) ? readFileSync(file, 'utf8') : 0))) Atomics.wait(pause, 0, 0, 200);
    else rmSync(file, { force: true });
  }
};

const isAlive = (pid) => {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
};

const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const isRootOnDebian = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** Installs Debian packages, as root. */
const aptInstall = (packages) => {
  console.error(`Installing ${packages.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-qq'], { quiet: true, env });
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { quiet: true, env });
};

/** A Chromium to test with: one that is here, else Debian's package (as root), else Playwright's own download. */
export const ensureChromium = () => {
  const found = CHROMIUM.find((path) => path && existsSync(path));
  if (found) return found;
  if (isRootOnDebian()) {
    aptInstall(['chromium']);
    return '/usr/bin/chromium';
  }
  console.error('No Chromium here: Playwright downloads its own …');
  run(process.execPath, [at('node_modules', 'playwright', 'cli.js'), 'install', 'chromium']);
  return undefined;
};

/** The other engines are tested where Debian's packages are, or can be installed; a skip is said aloud. */
export const ensureOtherEngines = () => {
  const engines = [
    ['firefox', ['/usr/bin/firefox-esr'], ['firefox-esr']],
    ['webkit', ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb'], ['webkit2gtk-driver', 'xvfb']],
  ];
  const missing = engines.filter(([, files]) => !files.every((file) => existsSync(file)));
  if (missing.length && isRootOnDebian()) aptInstall(missing.flatMap(([, , packages]) => packages));
  return engines.flatMap(([name, files]) => (files.every((file) => existsSync(file)) ? [name] : []));
};

/** Letters of every language that the tests take pictures of: without them a picture shows boxes. */
export const ensureFonts = () => {
  const has = (language) => spawnSync('fc-list', [`:lang=${language}`, 'family'], { encoding: 'utf8' }).stdout?.trim();
  if (isRootOnDebian() && !['ar', 'bn', 'hi', 'ja', 'th'].every(has)) aptInstall(['fontconfig', 'fonts-noto-core', 'fonts-noto-cjk']);
};
