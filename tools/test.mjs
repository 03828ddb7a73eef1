// `npm test`: installs what is missing, runs every check, and ends with the line "N passed, N
// failed, N skipped". BROWSERS=chromium leaves the other engines out, BROWSERS=all fails where one
// is missing; ONLY=unit,e2e runs some steps; DATABASE_URL puts the tests on that server.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import {
  ensureBuilt,
  ensureChromium,
  ensureElectrum,
  ensureZeroMq,
  ensureFonts,
  ensureInstalled,
  ensureLitecoind,
  ensureOtherEngines,
  lookForAnvil,
  prepare,
  requireNode,
  root,
} from './setup.mjs';
import { memoryFolder } from './memory-folder.mjs';
import { engineSpecs, leftOut, leftOutSpecs } from './sampled-files.mjs';
import { playwrightResults, vitestResults } from './test-reports.mjs';

const [, , chromium] = prepare(
  requireNode,
  ensureInstalled,
  ensureChromium,
  ensureFonts,
  ensureLitecoind,
  ensureElectrum,
  ensureZeroMq,
  lookForAnvil,
);
const others = (process.env.BROWSERS ?? 'all') === 'all' ? ensureOtherEngines() : [];
/** @type {string[]} */
const engines = ['chromium', ...others];
const only = process.env.ONLY ? process.env.ONLY.split(',') : null;
const isSelected = (name) => !only || only.some((word) => name.includes(word));

/** Selects the samples of tests that take too long as a whole: another one each day. */
const SAMPLE_SEED = process.env.SAMPLE_SEED ?? String(Math.floor(Date.now() / 86_400_000));
console.log(`Samples: SAMPLE_SEED=${SAMPLE_SEED} (npm run nightly runs everything)`);

// Relative, because commands run in a shell and the repository's path can contain spaces.
const out = 'test-results/ci';
rmSync(`${root}${out}`, { recursive: true, force: true });
mkdirSync(`${root}${out}`, { recursive: true });
const { FORCE_COLOR: _color, ...plain } = process.env;
const TMPDIR = memoryFolder();
console.log(`Temporary files: ${TMPDIR ?? 'on the disk, which can be several times slower'}`);
const total = { passed: 0, failed: 0, skipped: 0 };

/** Runs a command and returns its output, whatever its exit code. */
const run = (command, { cwd, env }) =>
  new Promise((resolve) => {
    let text = '';
    const child = spawn(command, {
      shell: true,
      cwd,
      env: {
        ...plain,
        NO_COLOR: '1',
        ...(TMPDIR ? { TMPDIR } : {}),
        SAMPLE_SEED,
        ...(chromium ? { CHROMIUM: chromium } : {}),
        PATH: `${root}node_modules/.bin:${plain.PATH}`,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (data) => (text += data));
    child.on('error', (error) => (text += error.message));
    child.on('close', (status) => resolve({ status, text }));
  });

/** Indents each line of a text. */
const indent = (text) => text.replace(/^/gm, '     ');

/**
 * Runs one step. It counts as one check, or as many as `count` reads from its report. A suite
 * without tests fails. The tests that failed are printed before the output of the step, because
 * logs are often cut at the end.
 */
const step = async (name, command, { cwd = root, env = {}, count, reject } = {}) => {
  if (!isSelected(name)) return;
  const began = performance.now();
  const { status, text } = await run(command, { cwd, env });
  const notes = [];
  let failures = [];
  let [passed, failed, skipped] = status === 0 && !reject?.test(text) ? [1, 0, 0] : [0, 1, 0];
  if (count) {
    try {
      let tests;
      [[passed, failed, skipped = 0], tests] = count();
      failures = tests.failed;
      if (tests.secondTry.length > 0)
        notes.push(
          indent(`${name}: ${tests.secondTry.length} passed only at the second try:`),
          ...tests.secondTry.map(indent),
        );
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
  console.log([...notes, line, ...failures.map(indent)].join('\n'));
  if (failed) console.log(indent(text.trimEnd().split('\n').slice(-400).join('\n')));
};
/**
 * Runs several steps at a time: a browser that waits for its page leaves most of a processor idle.
 */
const together = async (lanes, steps) => {
  // One iterator for all lanes: a lane takes the next step when it is free.
  const waiting = steps.values();
  const lane = async () => {
    for (const begin of waiting) await begin();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};
const json = (file) => JSON.parse(readFileSync(`${root}${file}`, 'utf8'));
const playwright = (project) => () =>
  step(
    `e2e ${project}`,
    `playwright test -c e2e/playwright.config.ts --project ${project} --reporter=json --output test-results/e2e/${project}`,
    {
      // Absolute: Playwright resolves a relative path against its configuration file.
      env: {
        PLAYWRIGHT_JSON_OUTPUT_FILE: `${root}${out}/e2e-${project}.json`,
        LEAVE_OUT_SPECS: leftOutSpecs(SAMPLE_SEED, project).join(','),
      },
      count: () => {
        const report = json(`${out}/e2e-${project}.json`);
        const { expected, flaky, unexpected, skipped } = report.stats;
        return [[expected + flaky, unexpected, skipped], playwrightResults(report)];
      },
    },
  );
const components = (engine) => () => {
  const report = `${out}/component-${engine}.json`;
  return step(`component ${engine}`, 'node tools/components.mjs', {
    env: { BROWSERS: engine, COMPONENT_REPORT: `${root}${report}` },
    count: () => {
      const { passed, failed, skipped, tests } = json(report);
      return [[passed, failed, skipped], tests];
    },
  });
};
const vitest =
  (name, projects, options = '') =>
  () => {
    const report = `${out}/${name}.json`;
    const wanted = projects.map((project) => `--project ${project}`).join(' ');
    return step(
      name,
      `vitest run ${wanted} ${options} --reporter=dot --reporter=json --outputFile.json=${report}`,
      {
        count: () => {
          const { numPassedTests, numFailedTests, numPendingTests, ...found } = json(report);
          return [[numPassedTests, numFailedTests, numPendingTests], vitestResults(found)];
        },
      },
    );
  };
console.log(
  `Left out today:\n${indent([...leftOut(SAMPLE_SEED), ...leftOutSpecs(SAMPLE_SEED)].join('\n'))}\n${indent(
    ['firefox', 'webkit']
      .map(
        (name) =>
          `in ${name}: ${leftOutSpecs(SAMPLE_SEED, name)
            .filter((file) => engineSpecs[name].includes(file))
            .join(', ')}`,
      )
      .join('\n'),
  )}`,
);
const unit = vitest(
  'unit',
  ['services', 'page'],
  leftOut(SAMPLE_SEED)
    .map((file) => `--exclude ${file}`)
    .join(' '),
);
/** Packs every package, installs them into an empty project and opens a checkout there. */
const packages = vitest('packages', ['packages']);

await together(2, [
  () => step('types', 'tsc -b'),
  () => step('format', 'oxfmt --check .'),
  () => step('lint', 'npm run -s lint'),
  () => step('dead code', 'knip --no-progress'),
  () => step('english', 'node tools/check-english.mjs'),
]);
// Generates files that the build reads.
await step(
  'languages',
  'npm run -s i18n -w packages/elements && git diff --exit-code -- packages/elements/xliff packages/elements/src/generated',
  { reject: /is missing/ },
);
if (
  ['build', 'unit', 'packages', 'e2e api', ...engines.map((name) => `e2e ${name}`)].some(isSelected)
) {
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
// The longest step first.
await together(2, [
  playwright('chromium'),
  unit,
  ...engines.map(components),
  playwright('api'),
  packages,
  ...engines.filter((engine) => engine !== 'chromium').map(playwright),
]);

for (const engine of ['firefox', 'webkit'])
  if (!engines.includes(engine)) {
    const isWanted = process.env.BROWSERS === 'all';
    console.log(
      `${isWanted ? 'FAIL' : 'SKIPPED'} everything in ${engine}: it is not installed, or BROWSERS left it out`,
    );
    total[isWanted ? 'failed' : 'skipped'] += 1;
  }
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed ? 1 : 0);
