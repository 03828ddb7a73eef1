// Rejects the worst wording in comments and docs: `node tools/check-english.mjs`. CONTRIBUTING.md,
// "Plain English" has the rules.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { root } from './setup.mjs';

const FILES = [
  '*.ts',
  '*.tsx',
  '*.mjs',
  '*.cjs',
  '*.md',
  ':!CHANGELOG.md',
  ':!**/generated/**',
  ':!**/node_modules/**',
];

/** Each rule looks at one comment or one line of Markdown prose. */
const RULES = [
  [
    'begins with a relative pronoun; put the subject first',
    /^(?:What|Who|Whoever|Whose|Whichever)\b(?!.*\?\s*$)/,
  ],
  [
    'names nobody in particular; name the buyer, the caller or the process',
    /\b(?:somebody|whoever|anybody)\b/i,
  ],
  ['cites a document that is not in the repository', /§|\bdecisions, "|\(design\)/],
];

/** Comments of a script, or lines of prose in Markdown outside code, tables and headings: [line number, text]. */
function textsOf(file, source) {
  const lines = source.split('\n');
  if (!file.endsWith('.md')) {
    return lines.flatMap((line, at) => {
      const text =
        /^\s*(?:\/\/|\/\*\*?|\*)\s?(?!\/)(.*?)(?:\*\/)?\s*$/.exec(line)?.[1] ??
        /\s\/\/ (.*)$/.exec(line)?.[1];
      return text ? [[at + 1, text.replace(/^@\w+\s+(?:\w+\s+-?\s*)?/, '')]] : [];
    });
  }
  let isCode = false;
  return lines.flatMap((line, at) => {
    if (line.startsWith('```')) isCode = !isCode;
    return isCode || /^(?:```|\||#|<)/.test(line)
      ? []
      : [[at + 1, line.replace(/^\s*(?:[-*]|\d+\.)\s+/, '')]];
  });
}

/** Only the first line of a comment can break the first rule; later lines continue a sentence. */
const continues = (texts, index) =>
  index > 0 &&
  texts[index - 1][0] === texts[index][0] - 1 &&
  !/[.:!?]\s*$/.test(texts[index - 1][1]);

const files = execFileSync('git', ['ls-files', '--', ...FILES], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const found = files.flatMap((file) => {
  const texts = textsOf(file, readFileSync(`${root}${file}`, 'utf8'));
  return texts.flatMap(([line, text], index) =>
    RULES.filter(
      ([, pattern], rule) => pattern.test(text) && !(rule === 0 && continues(texts, index)),
    ).map(([why]) => `${file}:${line}: ${why}: ${text.trim().slice(0, 100)}`),
  );
});
if (found.length > 0) console.log(found.join('\n'));
console.log(`${files.length} files, ${found.length} findings`);
process.exitCode = found.length > 0 ? 1 : 0;
