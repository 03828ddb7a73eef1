// The elements' tests in one engine (BROWSERS): what did not pass, a browser that died in the middle among the reasons, gets one second
// try by file, and both are said. What counts at the end is written to the file named by COMPONENT_REPORT.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { root } from './setup.mjs';

const report = process.env.COMPONENT_REPORT;
const run = (files) => {
  rmSync(report, { force: true });
  spawnSync('wtr', ['--config', 'web-test-runner.config.mjs', ...files.flatMap((file) => ['--files', file])], {
    cwd: `${root}packages/elements`,
    stdio: 'inherit',
    env: { ...process.env, WTR_REPORT: report },
  });
  return JSON.parse(readFileSync(report, 'utf8')).files;
};
const sum = (files, what) => files.reduce((total, file) => total + file[what], 0);
const tell = (files) => files.map(({ file, errors }) => [file.replace(root, ''), ...errors].join('\n  ')).join('\n');

let files = run([]);
const again = files.filter(({ ok }) => !ok);
if (again.length > 0) {
  console.log(`\nAt the first try:\n${tell(again)}\n`);
  files = [...files.filter(({ ok }) => ok), ...run(again.map(({ file }) => file))];
}
const wrong = files.filter(({ ok }) => !ok);
if (wrong.length > 0) console.log(`\nStill at the second:\n${tell(wrong)}\n`);
// A file that could not even begin has no failed test, and failed.
const failed = sum(wrong, 'failed') + wrong.filter((file) => file.failed === 0).length;
writeFileSync(report, JSON.stringify({ passed: sum(files, 'passed'), failed, skipped: sum(files, 'skipped'), again: again.length }));
process.exit(failed ? 1 : 0);
