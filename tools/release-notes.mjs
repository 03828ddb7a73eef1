// `node tools/release-notes.mjs <version>`: puts the texts of .changeset/ into CHANGELOG.md, by
// kind. Run it before `npx changeset version`, which deletes them.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const KINDS = ['Breaking', 'Security', 'Added', 'Changed', 'Fixed'];
const COLUMNS = 100;

/** Wraps a text as an item of a list. */
function item(text) {
  const lines = ['-'];
  for (const word of text.split(/\s+/)) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= COLUMNS) lines[lines.length - 1] = line;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}

/**
 * The section of a release.
 * @param changesets contents of the files: front matter, then paragraphs that begin with their
 * kind; one without a kind is a change
 */
export function releaseNotes(version, date, changesets) {
  const entries = changesets.flatMap((source) =>
    source
      .split(/^---$/m)
      .slice(2)
      .join('---')
      .trim()
      .split(/\n\s*\n/)
      .map((paragraph) => {
        const [, kind, text] = /^(\w+): ([^]+)$/.exec(paragraph) ?? [];
        return KINDS.includes(kind)
          ? { kind, text: text[0].toUpperCase() + text.slice(1) }
          : { kind: 'Changed', text: paragraph };
      }),
  );
  const groups = KINDS.map((kind) => [kind, entries.filter((entry) => entry.kind === kind)]);
  const sections = groups
    .filter(([, found]) => found.length > 0)
    .map(([kind, found]) => `### ${kind}\n\n${found.map(({ text }) => item(text)).join('\n')}\n`);
  return `## [${version}] - ${date}\n\n${sections.join('\n')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const [, , version = ''] = process.argv;
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    console.error('Usage: node tools/release-notes.mjs <version>, such as 0.2.0');
    process.exit(1);
  }
  const files = readdirSync(`${root}.changeset`)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .toSorted();
  const changesets = files.map((file) => readFileSync(`${root}.changeset/${file}`, 'utf8'));
  const notes = releaseNotes(version, new Date().toISOString().slice(0, 10), changesets);
  const page = readFileSync(`${root}CHANGELOG.md`, 'utf8');
  writeFileSync(
    `${root}CHANGELOG.md`,
    page.replace(/^## \[/m, () => `${notes}\n## [`),
  );
}
