// Reads the JSON reports of the test runners: what failed, and what passed only at the second try.
import { root } from './setup.mjs';

/** Removes colours, and the stack below the first frames. */
const brief = (message) =>
  message
    // oxlint-disable-next-line no-control-regex -- that is what a colour is
    .replace(/\u001b\[[0-9;]*m/g, '')
    .trim()
    .split('\n')
    .slice(0, 12)
    .map((line) => line.replaceAll(root, '').slice(0, 300))
    .join('\n    ');

/**
 * The tests of a vitest report.
 *
 * @returns {{ failed: string[], secondTry: string[] }} one text a test
 */
export const vitestResults = ({ testResults }) => {
  const tests = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.replace(root, '');
    // A file that could not be loaded has no tests.
    if (status === 'failed' && assertionResults.length === 0)
      return [{ status, file, fullName: 'the file', failureMessages: [message] }];
    return assertionResults.map((one) => ({ ...one, file }));
  });
  const text = ({ file, fullName, failureMessages }) =>
    `${file}: ${fullName}\n    ${failureMessages.map(brief).join('\n    ')}`;
  return {
    failed: tests.filter(({ status }) => status === 'failed').map(text),
    secondTry: tests
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map(text),
  };
};

/**
 * The tests of a Playwright report.
 *
 * @returns {{ failed: string[], secondTry: string[] }} one text a test
 */
export const playwrightResults = ({ suites, errors }) => {
  const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)];
  const tests = suites
    .flatMap(specs)
    .flatMap(({ file, line, title, tests }) =>
      tests.map(({ status, results }) => ({ status, results, name: `${file}:${line}: ${title}` })),
    );
  const text = ({ name, results }) =>
    `${name}\n    ${results
      .flatMap(({ errors }) => errors.map(({ message }) => brief(message ?? '')))
      .join('\n    ')}`;
  return {
    failed: [
      ...errors.map(({ message }) => brief(message ?? '')),
      ...tests.filter(({ status }) => status === 'unexpected').map(text),
    ],
    secondTry: tests.filter(({ status }) => status === 'flaky').map(text),
  };
};
