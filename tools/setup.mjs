// Prepares packages, the build and a browser for every command, using only Node. Each step runs
// only when needed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);

/** A problem that one sentence explains. Commands print it without a stack trace. */
export class SetupError extends Error {
  name = 'SetupError';
}

/**
 * Runs steps in order and returns their results. A SetupError ends the process with its one
 * sentence.
 */
export const prepare = (...steps) => {
  try {
    return steps.map((step) => step());
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    return process.exit(1);
  }
};

/**
 * Runs a command and throws with its output when it fails. Its output goes to stderr: callers read
 * results from stdout.
 */
const run = (command, args, { quiet = false, ...options } = {}) => {
  const stdio = quiet ? 'pipe' : ['inherit', 2, 'inherit'];
  const result = spawnSync(command, args, { cwd: root, stdio, encoding: 'utf8', ...options });
  if (result.status !== 0) {
    if (quiet) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
    const reason = result.error?.message ?? `exit ${result.status ?? result.signal}`;
    throw new SetupError(`${command} ${args.join(' ')} failed (${reason}).`);
  }
  return result.stdout;
};

/** @throws SetupError below the oldest Node version that is supported */
export const requireNode = (version = process.versions.node) => {
  const [major, minor] = version.split('.').map(Number);
  const isOld = major < 22 ? major !== 20 || minor < 19 : major === 22 && minor < 12;
  if (isOld)
    throw new SetupError(
      `Node ${version} is too old: Crypto Checkout needs Node 20.19, or 22.12 or newer.`,
    );
};

const digest = (files) => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(at(file)));
  return hash.digest('hex');
};

/**
 * Whether the packages of npm's own copy, written at the end of an installation, are those of the
 * lock file. Optional packages may be of another platform.
 */
export const hasPackagesOf = (lock, copy) => {
  const isSame = (one, other) =>
    one?.version === other?.version &&
    one?.integrity === other?.integrity &&
    one?.link === other?.link;
  const installed = copy.packages ?? {};
  const wanted = Object.entries(lock.packages).filter(([path]) => path !== '');
  return (
    wanted.every(([path, one]) =>
      path in installed ? isSame(one, installed[path]) : one.optional === true,
    ) && Object.keys(installed).every((path) => path in lock.packages)
  );
};

const isInstalledByHand = () => {
  const copy = at('node_modules', '.package-lock.json');
  const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
  return existsSync(copy) && hasPackagesOf(read(at('package-lock.json')), read(copy));
};

/** Installs the packages of the lock file when they are missing or belong to another lock file. */
export const ensureInstalled = () => {
  const mark = at('node_modules', '.crypto-checkout-lock');
  const wanted = digest(['package-lock.json']);
  if ((existsSync(mark) && readFileSync(mark, 'utf8') === wanted) || isInstalledByHand()) return;
  console.error('Installing packages (npm ci), about half a minute …');
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js'))
    run(process.execPath, [npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error']);
  else
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      shell: process.platform === 'win32',
    });
  writeFileSync(mark, wanted);
};

const sources = (folder) =>
  readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist', 'test'].includes(entry.name) || entry.name.endsWith('.test.ts'))
      return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? sources(path) : [path];
  });

/**
 * Builds when a source changed since the last build. A second caller waits for the build of the
 * first.
 */
export const ensureBuilt = () => {
  const single = [
    'vite.config.ts',
    'tools/build.mjs',
    'tools/server-entry.mjs',
    'package-lock.json',
  ];
  const files = [
    ...sources('packages'),
    ...sources('demo'),
    ...sources('tools/vite'),
    ...single,
  ].toSorted((a, b) => (a < b ? -1 : 1));
  const mark = at('dist', '.sources');
  const wanted = digest(files);
  const isCurrent = () => existsSync(mark) && readFileSync(mark, 'utf8') === wanted;
  if (isCurrent()) return;
  mkdirSync(at('dist'), { recursive: true });
  const release = lock(at('dist', '.building'));
  try {
    if (isCurrent()) return;
    console.error('Building …');
    run(process.execPath, [at('tools', 'build.mjs')], { quiet: true });
    writeFileSync(mark, wanted);
  } finally {
    release();
  }
};

/**
 * Waits until no live process holds the lock file, then takes it. Returns the function that
 * releases it.
 */
const lock = (file) => {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAlive(Number(existsSync(file) ? readFileSync(file, 'utf8') : 0)))
      Atomics.wait(pause, 0, 0, 200);
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
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** SKIP_SYSTEM_PACKAGES=1 leaves the installation of system packages to the user. */
const skipsSystemPackages = () => process.env.SKIP_SYSTEM_PACKAGES === '1';
const canInstallPackages = () =>
  !skipsSystemPackages() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** Installs Debian packages as root, after printing which ones and why. */
const aptInstall = (packages, reason) => {
  const list = packages.join(', ');
  console.error(
    `Installing Debian packages: ${list}, for ${reason}. SKIP_SYSTEM_PACKAGES=1 leaves this to you.`,
  );
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-qq'], { quiet: true, env });
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    quiet: true,
    env,
  });
};

/**
 * Finds a Chromium for tests: that of the variable CHROMIUM, else an installed one, else Debian's
 * package (as root), else Playwright's download.
 * @throws SetupError when CHROMIUM names none, or when there is none and none may be installed
 */
export const ensureChromium = (exists = existsSync) => {
  if (process.env.CHROMIUM) {
    requireChromium(exists);
    return process.env.CHROMIUM;
  }
  const found = CHROMIUM.find(exists);
  if (found) return found;
  if (canInstallPackages()) {
    aptInstall(['chromium'], 'the browser tests');
    return '/usr/bin/chromium';
  }
  if (skipsSystemPackages())
    throw new SetupError(
      'No Chromium was found: install it (Debian: apt-get install chromium), or set CHROMIUM to its path.',
    );
  console.error('No Chromium was found: Playwright downloads its own …');
  run(process.execPath, [at('node_modules', 'playwright', 'cli.js'), 'install', 'chromium']);
  return createRequire(import.meta.url)('playwright-core').chromium.executablePath();
};

/** For the tests of one package, which install nothing. @throws SetupError without a Chromium */
export const requireChromium = (exists = existsSync) => {
  const path = process.env.CHROMIUM || '/usr/bin/chromium';
  if (!exists(path))
    throw new SetupError(
      `No Chromium at ${path}: install it (Debian: apt-get install chromium), or set CHROMIUM to its path.`,
    );
};

/**
 * Installs Firefox and WebKitGTK where Debian's packages are available. Returns the engines that
 * can be tested.
 */
export const ensureOtherEngines = () => {
  const engines = [
    ['firefox', ['/usr/bin/firefox-esr'], ['firefox-esr']],
    ['webkit', ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb'], ['webkit2gtk-driver', 'xvfb']],
  ];
  const missing = engines.filter(([, files]) => !files.every((file) => existsSync(file)));
  if (missing.length && canInstallPackages())
    aptInstall(
      missing.flatMap(([, , packages]) => packages),
      'the tests in Firefox and WebKit',
    );
  return engines.flatMap(([name, files]) =>
    files.every((file) => existsSync(file)) ? [name] : [],
  );
};

const LITECOIND = '/usr/lib/litecoin/litecoind';

/**
 * Installs litecoind, the node of the Bitcoin-like chains' tests, where Debian's package is
 * available.
 */
export const ensureLitecoind = () => {
  if (process.env.LITECOIND || existsSync(LITECOIND)) return;
  if (canInstallPackages()) aptInstall(['litecoind'], 'the tests on a Bitcoin-like node');
  else
    console.error(
      'No litecoind was found: the tests on a Bitcoin-like node are skipped. Install it (Debian: apt-get install litecoind), or set LITECOIND to its path.',
    );
};

/** npm provides anvil, the node of the EVM tests, for Linux on x64 alone. */
export const lookForAnvil = () => {
  if (process.env.ANVIL || existsSync(`${root}node_modules/@foundry-rs/anvil-linux-amd64`)) return;
  console.error(
    'No anvil was found: the tests on an Ethereum node fail. Install Foundry, and set ANVIL to the path of anvil.',
  );
};

/** Installs Electrum, a wallet that pays over lightning, where Debian's package is available. */
export const ensureElectrum = () => {
  if (existsSync('/usr/bin/electrum')) return;
  if (canInstallPackages()) aptInstall(['electrum'], 'payments by a wallet that is not ours');
  else
    console.error(
      'No electrum was found: payments by a wallet that is not ours are skipped. Install it (Debian: apt-get install --no-install-recommends electrum).',
    );
};

const PYZMQ = '/usr/lib/python3/dist-packages/zmq';

/** Installs ZeroMQ's own library, the publisher of the tests of a node's messages. */
export const ensureZeroMq = () => {
  if (existsSync(PYZMQ)) return;
  if (canInstallPackages()) aptInstall(['python3-zmq'], "the tests of a node's messages");
  else
    console.error(
      "No ZeroMQ for Python was found: the tests of a node's messages are skipped. Install it (Debian: apt-get install python3-zmq).",
    );
};

/** Installs fonts for every language of the screenshots; without them a picture shows boxes. */
export const ensureFonts = () => {
  const has = (language) =>
    spawnSync('fc-list', [`:lang=${language}`, 'family'], { encoding: 'utf8' }).stdout?.trim();
  if (canInstallPackages() && !['ar', 'bn', 'hi', 'ja', 'th'].every(has))
    aptInstall(
      ['fontconfig', 'fonts-noto-core', 'fonts-noto-cjk'],
      'screenshots in every language',
    );
};
