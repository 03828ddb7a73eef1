// Rejects the worst wording in comments, test titles and docs: `node tools/check-english.mjs`.
// CONTRIBUTING.md, "Plain English" has the rules.
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

const RELATIVE = /^(?:What|Who|Whoever|Whose|Whichever)\b(?!.*\?\s*$)/;

/** Each rule looks at one comment or one line of Markdown prose. */
const RULES = [
  ['begins with a relative pronoun; put the subject first', RELATIVE],
  [
    'names nobody in particular; name the buyer, the caller or the process',
    /\b(?:somebody|whoever|anybody)\b/i,
  ],
  ['cites a document that is not in the repository', /§|\bdecisions, "|\(design\)/],
];

/** A rule for comments and the titles of tests. "Cannot be told apart" is usual English. */
const PERSON_RULE = [
  'makes a person of the code; name the effect: shows, sends, reads, accepts',
  /\b(?:told|tells?|knows?|knew|believe[sd]?|heard)\b(?!.*\bapart\b)/i,
];

/** Rules for the titles of tests alone. */
const TITLE_RULES = [
  ...RULES,
  PERSON_RULE,
  ['names nobody in particular; name the buyer, the caller or the process', /\bnobody\b/i],
];

/** Titles of tests: [line number, text]. The formatter puts long ones on a line of their own. */
function titlesOf(file, source) {
  if (!/\.(?:test|spec|api)\.ts$|(?:^|\/)test\/.*\.ts$/.test(file)) return [];
  const lines = source.split('\n');
  return lines.flatMap((line, at) => {
    const title = /(?:^\s*|\()(['`])(.+)\1,/.exec(line)?.[2];
    const call = /^\s*(?:(?:it|test|describe)\b|\]\)\()/;
    const before = lines[at - 1] ?? '';
    const isTitle = call.test(line) || (call.test(before) && before.endsWith('('));
    return title && isTitle ? [[at + 1, title]] : [];
  });
}

/**
 * Comments of a script, or lines of prose in Markdown outside code, tables and headings: [line
 * number, text].
 */
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

/** The sentences that begin within a line. */
const laterSentences = (text) => text.split(/(?<=[.!?])\s+/).slice(1);

/** Only the first line of a comment can break the first rule; later lines continue a sentence. */
const continues = (texts, index) =>
  index > 0 &&
  texts[index - 1][0] === texts[index][0] - 1 &&
  texts[index - 1][1].trim() !== '' &&
  !/[.:!?]\s*$/.test(texts[index - 1][1]);

/** Whether a sentence of a line begins with a relative pronoun; in Markdown, any sentence. */
const beginsBadly = (file, texts, index) => {
  const [, text] = texts[index];
  if (RELATIVE.test(text) && !continues(texts, index)) return true;
  return file.endsWith('.md') && laterSentences(text).some((sentence) => RELATIVE.test(sentence));
};

const reportOf = (file, line, why, text) => `${file}:${line}: ${why}: ${text.trim().slice(0, 100)}`;

const files = execFileSync('git', ['ls-files', '--', ...FILES], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const found = files.flatMap((file) => {
  const source = readFileSync(`${root}${file}`, 'utf8');
  const texts = textsOf(file, source);
  const titles = titlesOf(file, source).flatMap(([line, text]) =>
    TITLE_RULES.flatMap(([why, pattern]) =>
      pattern.test(text) ? [reportOf(file, line, why, text)] : [],
    ),
  );
  const comments = texts.flatMap(([line, text], index) =>
    (file.endsWith('.md') ? RULES : [...RULES, PERSON_RULE])
      .filter(([, pattern]) =>
        pattern === RELATIVE ? beginsBadly(file, texts, index) : pattern.test(text),
      )
      .map(([why]) => reportOf(file, line, why, text)),
  );
  return [...comments, ...titles];
});
if (found.length > 0) console.log(found.join('\n'));
console.log(`${files.length} files, ${found.length} findings`);
process.exitCode = found.length > 0 ? 1 : 0;
