import { writeFileSync } from 'node:fs';

const testsOf = (suite) => (suite ? [...suite.tests, ...suite.suites.flatMap(testsOf)] : []);

/**
 * A @web/test-runner reporter that writes JSON: passed, failed and skipped tests per file, with
 * errors.
 */
export const reportTo = (path) => ({
  stop({ sessions }) {
    const files = sessions.map(({ passed, testFile, errors, testResults }) => {
      const tests = testsOf(testResults);
      const wrong = tests.filter((test) => !test.passed && !test.skipped);
      return {
        file: testFile,
        ok: passed === true,
        passed: tests.filter((test) => test.passed).length,
        failed: wrong.length,
        skipped: tests.filter((test) => test.skipped).length,
        errors: [
          ...errors.map(({ message, stack }) => stack ?? message),
          ...wrong.map(({ name, error }) => `${name}: ${error?.stack ?? error?.message}`),
        ],
      };
    });
    writeFileSync(path, JSON.stringify({ files }));
  },
});
