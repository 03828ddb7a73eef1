// Runs the elements' tests in one engine (BROWSERS). With SAMPLE_SEED, half of the files run in
// Chromium, a quarter in Firefox and another in WebKit, and the next day others.
// `npm run nightly` runs every file in every engine. Files that failed, also because the
// browser crashed, are retried once, and both results are printed. The final report is written to
// the file in COMPONENT_REPORT, or to test-results/components.json.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { componentFiles } from './sampled-files.mjs';
import { root } from './setup.mjs';

const report = process.env.COMPONENT_REPORT ?? `${root}test-results/components.json`;
const run = (files) => {
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  spawnSync(
    'wtr',
    ['--config', 'web-test-runner.config.mjs', ...files.flatMap((file) => ['--files', file])],
    {
      cwd: `${root}packages/elements`,
      stdio: 'inherit',
      env: { ...process.env, WTR_REPORT: report },
    },
  );
  return JSON.parse(readFileSync(report, 'utf8')).files;
};
const sum = (files, field) => files.reduce((total, file) => total + file[field], 0);
const describe = ({ file, errors }) => [file.replace(root, ''), ...errors].join('\n  ');

/** The files of this engine; an empty list stands for all of them. */
function sample() {
  const { NIGHTLY, SAMPLE_SEED, BROWSERS = 'chromium' } = process.env;
  if (NIGHTLY || !SAMPLE_SEED) return [];
  const elements = `${root}packages/elements/`;
  const all = ['src', 'test']
    .flatMap((folder) =>
      readdirSync(elements + folder, { recursive: true, encoding: 'utf8' }).map(
        (file) => `${elements}${folder}/${file}`,
      ),
    )
    .filter((file) => file.endsWith('.test.ts'))
    .toSorted();
  return componentFiles(all, SAMPLE_SEED, BROWSERS);
}

let files = run(sample());
const retried = files.filter(({ ok }) => !ok);
if (retried.length > 0)
  files = [...files.filter(({ ok }) => ok), ...run(retried.map(({ file }) => file))];
const failedFiles = files.filter(({ ok }) => !ok);
const isFailed = (file) => failedFiles.some((one) => one.file === file);
// A file that could not start has no failed test but counts as failed.
const failed = sum(failedFiles, 'failed') + failedFiles.filter((file) => file.failed === 0).length;
writeFileSync(
  report,
  JSON.stringify({
    passed: sum(files, 'passed'),
    failed,
    skipped: sum(files, 'skipped'),
    tests: {
      failed: failedFiles.map(describe),
      secondTry: retried.filter(({ file }) => !isFailed(file)).map(describe),
    },
  }),
);
process.exit(failed ? 1 : 0);
