// `npm test`: installs what is missing, runs every check, and ends with one line: "N passed, N failed, N skipped".
// BROWSERS=chromium leaves the other engines out, BROWSERS=all fails where one is missing; ONLY=unit,e2e runs some steps; DATABASE_URL puts the tests on that server.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { ensureBuilt, ensureChromium, ensureFonts, ensureInstalled, ensureOtherEngines, requireNode, root } from './setup.mjs';

requireNode();
ensureInstalled();
const chromium = ensureChromium();
ensureFonts();
const others = (process.env.BROWSERS ?? 'all') === 'all' ? ensureOtherEngines() : [];
/** @type {string[]} */
const engines = ['chromium', ...others];
const only = process.env.ONLY ? process.env.ONLY.split(',') : null;

const out = `${root}test-results/ci`;
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { FORCE_COLOR: _color, ...plain } = process.env;
const total = { passed: 0, failed: 0, skipped: 0 };

/** Runs a command to its end, whatever that is, with all that it said. */
const run = (command, { cwd, env }) =>
  new Promise((resolve) => {
    let text = '';
    const child = spawn(command, {
      shell: true,
      cwd,
      env: { ...plain, NO_COLOR: '1', ...(chromium ? { CHROMIUM: chromium } : {}), PATH: `${root}node_modules/.bin:${plain.PATH}`, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (data) => (text += data));
    child.on('error', (error) => (text += error.message));
    child.on('close', (status) => resolve({ status, text }));
  });

/** Runs one step; it counts as one check, or as many as `count` reads from its report. A suite that ran nothing has failed. */
const step = async (name, command, { cwd = root, env = {}, count, reject } = {}) => {
  if (only && !only.some((word) => name.includes(word))) return;
  const began = performance.now();
  const { status, text } = await run(command, { cwd, env });
  const notes = [];
  let [passed, failed, skipped] = status === 0 && !reject?.test(text) ? [1, 0, 0] : [0, 1, 0];
  if (count) {
    try {
      [passed, failed, skipped = 0] = count((note) => notes.push(`     ${name}: ${note}`));
      if (status !== 0 && failed === 0) failed = 1;
      if (passed + failed === 0) failed = 1;
    } catch (error) {
      notes.push(String(error));
      [passed, failed, skipped] = [0, 1, 0];
    }
  }
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const line = `${failed ? 'FAIL' : 'ok  '} ${name.padEnd(18)} ${String(passed).padStart(5)} passed ${String(failed).padStart(3)} failed ${String(skipped).padStart(3)} skipped ${seconds.padStart(7)} s`;
  console.log([...notes, line].join('\n'));
  if (failed) console.log(text.trimEnd().split('\n').slice(-400).join('\n').replace(/^/gm, '     '));
};
/** Runs steps, so many at a time: a browser that waits for its page leaves most of a processor to the next. */
const together = async (lanes, steps) => {
  const waiting = steps.values();
  const lane = async () => {
    for (const begin of waiting) await begin();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
const playwright = (project) => () =>
  step(
    `e2e ${project}`,
    `playwright test -c e2e/playwright.config.ts --project ${project} --reporter=json --output test-results/e2e/${project}`,
    {
      env: { PLAYWRIGHT_JSON_OUTPUT_NAME: `${out}/e2e-${project}.json` },
      count: (note) => {
        const { stats } = json(`${out}/e2e-${project}.json`);
        if (stats.flaky) note(`${stats.flaky} passed only at the second try`);
        return [stats.expected + stats.flaky, stats.unexpected, stats.skipped];
      },
    },
  );
const components = (engine) => () => {
  const report = `${out}/component-${engine}.json`;
  return step(`component ${engine}`, 'node .ci/components.mjs', {
    env: { BROWSERS: engine, COMPONENT_REPORT: report },
    count: (note) => {
      const { passed, failed, skipped, again } = json(report);
      if (again) note(`${again} files had a second try`);
      return [passed, failed, skipped];
    },
  });
};
/** Tests of vitest's report that passed, and have a failure all the same: that of their first try. */
const secondTries = ({ testResults }) =>
  testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map(({ fullName, failureMessages }) => `${name.replace(root, '')}: ${fullName} (${failureMessages[0].split('\n')[0]})`),
  );
const unit = () =>
  step('unit', `vitest run --reporter=dot --reporter=json --outputFile.json=${out}/unit.json`, {
    count: (note) => {
      const report = json(`${out}/unit.json`);
      const again = secondTries(report);
      if (again.length > 0) note(`${again.length} passed only at the second try:${again.map((name) => `\n       ${name}`).join('')}`);
      return [report.numPassedTests, report.numFailedTests, report.numPendingTests];
    },
  });

await together(2, [
  () => step('types', 'tsc -p .'),
  () => step('format', 'oxfmt --check .'),
  () => step('lint', 'npm run -s lint'),
  () => step('dead code', 'knip --no-progress'),
]);
// Writes what the build reads.
await step(
  'languages',
  'npm run -s i18n -w packages/elements && git diff --exit-code -- packages/elements/xliff packages/elements/src/generated',
  { reject: /is missing/ },
);
if (!only || only.includes('build') || only.some((word) => word.startsWith('e2e') || word === 'unit')) {
  const began = performance.now();
  try {
    ensureBuilt();
    total.passed += 1;
    console.log(`ok   build ${((performance.now() - began) / 1000).toFixed(1)} s`);
  } catch (error) {
    total.failed += 1;
    console.log(`FAIL build\n${error.message}`);
  }
}
await step('manifest', 'npm run -s manifest -w packages/elements');
// The longest first.
await together(2, [
  playwright('chromium'),
  unit,
  ...engines.map(components),
  playwright('api'),
  ...engines.filter((engine) => engine !== 'chromium').map(playwright),
]);

for (const engine of ['firefox', 'webkit'])
  if (!engines.includes(engine)) {
    const isWanted = process.env.BROWSERS === 'all';
    console.log(`${isWanted ? 'FAIL' : 'SKIPPED'} everything in ${engine}: it is not installed, or BROWSERS left it out`);
    total[isWanted ? 'failed' : 'skipped'] += 1;
  }
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed ? 1 : 0);
