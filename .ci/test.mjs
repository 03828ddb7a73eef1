// `npm test`: installs what is missing, runs every check, and ends with one line: "N passed, N failed, N skipped".
// BROWSERS=chromium leaves the other engines out; ONLY=unit,e2e runs some steps; DATABASE_URL puts the tests on that server.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { ensureBuilt, ensureChromium, ensureFonts, ensureInstalled, ensureOtherEngines, requireNode, root } from './setup.mjs';

requireNode();
ensureInstalled();
const chromium = ensureChromium();
ensureFonts();
const others = (process.env.BROWSERS ?? 'all') === 'all' ? ensureOtherEngines() : [];
/** @type {string[]} */
const engines = ['chromium', ...others];
const only = process.env.ONLY?.split(',');

const out = `${root}test-results/ci`;
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { FORCE_COLOR: _color, ...plain } = process.env;
const total = { passed: 0, failed: 0, skipped: 0 };

/** Runs one step; it counts as one check, or as many as `count` reads from its report. A suite that ran nothing has failed. */
const step = (name, command, { cwd = root, env = {}, count, reject } = {}) => {
  if (only && !only.some((word) => name.includes(word))) return;
  const began = performance.now();
  const result = spawnSync(command, {
    shell: true,
    cwd,
    encoding: 'utf8',
    env: { ...plain, NO_COLOR: '1', ...(chromium ? { CHROMIUM: chromium } : {}), PATH: `${root}node_modules/.bin:${plain.PATH}`, ...env },
    maxBuffer: 1e8,
  });
  const text = `${result.stdout}${result.stderr}`;
  let [passed, failed, skipped] = result.status === 0 && !reject?.test(text) ? [1, 0, 0] : [0, 1, 0];
  if (count) {
    try {
      [passed, failed, skipped = 0] = count();
      if (result.status !== 0 && failed === 0) failed = 1;
      if (passed + failed === 0) failed = 1;
    } catch (error) {
      console.log(String(error));
      [passed, failed, skipped] = [0, 1, 0];
    }
  }
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${failed ? 'FAIL' : 'ok  '} ${name.padEnd(16)} ${String(passed).padStart(5)} passed ${String(failed).padStart(3)} failed ${String(skipped).padStart(3)} skipped ${seconds.padStart(7)} s`,
  );
  if (failed) console.log(text.trimEnd().split('\n').slice(-400).join('\n').replace(/^/gm, '     '));
};
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));
const playwright = (project) =>
  step(`e2e ${project}`, `playwright test -c e2e/playwright.config.ts --project ${project} --reporter=json`, {
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: `${out}/e2e-${project}.json` },
    count: () => {
      const { stats } = json(`${out}/e2e-${project}.json`);
      if (stats.flaky) console.log(`     e2e ${project}: ${stats.flaky} passed only at the second try`);
      return [stats.expected + stats.flaky, stats.unexpected, stats.skipped];
    },
  });

step('format', 'oxfmt --check .');
step('types', 'tsc -p .');
step('lint', 'npm run -s lint');
step('dead code', 'knip --no-progress');
step(
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
step('manifest', 'npm run -s manifest -w packages/elements');
step('unit', `vitest run --reporter=dot --reporter=json --outputFile.json=${out}/unit.json`, {
  count: () => {
    const report = json(`${out}/unit.json`);
    return [report.numPassedTests, report.numFailedTests, report.numPendingTests];
  },
});
for (const engine of engines) {
  const report = `${out}/component-${engine}.json`;
  step(`component ${engine}`, 'node .ci/components.mjs', {
    env: { BROWSERS: engine, COMPONENT_REPORT: report },
    count: () => {
      const { passed, failed, skipped, again } = json(report);
      if (again) console.log(`     component ${engine}: ${again} files had a second try`);
      return [passed, failed, skipped];
    },
  });
}
playwright('api');
for (const engine of engines) playwright(engine);

for (const engine of ['firefox', 'webkit'])
  if (!engines.includes(engine)) {
    console.log(`SKIPPED everything in ${engine}: it is not installed, or BROWSERS left it out`);
    total.skipped += 1;
  }
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed ? 1 : 0);
