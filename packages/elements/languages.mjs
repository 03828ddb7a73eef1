// `npm run i18n`: extracts the texts from the sources and generates each language from its
// translations in xliff/. A language is two files: the texts for paying, and the others, which are
// loaded with the lazy modules.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (...parts) => join(dirname(fileURLToPath(import.meta.url)), ...parts);
const generated = (...parts) => here('src', 'generated', ...parts);
const HEAD = '// Written by `npm run i18n`. Change the translations in xliff/, not this file.\n';

/** The translation units of an xliff file by id, in its order. */
const unitsOf = (file) =>
  new Map(
    [...file.matchAll(/^<trans-unit id="([^"]+)">[^]*?^<\/trans-unit>\n/gm)].map(([unit, id]) => [
      id,
      unit,
    ]),
  );

const xliff = () =>
  readdirSync(here('xliff')).map((name) => ({
    path: here('xliff', name),
    text: readFileSync(here('xliff', name), 'utf8'),
  }));

/**
 * Restores the order of the units: lit-localize writes them in the order of the source files, so
 * that moving a file would rewrite every translation file. New units stay at the end.
 */
function restoreOrder(before) {
  for (const { path, text } of xliff()) {
    const units = unitsOf(text);
    const known = [...(before.get(path)?.keys() ?? [])].filter((id) => units.has(id));
    const ids = [...new Set([...known, ...units.keys()])];
    writeFileSync(
      path,
      text.replace([...units.values()].join(''), () => ids.map((id) => units.get(id)).join('')),
    );
  }
}

const before = new Map(xliff().map(({ path, text }) => [path, unitsOf(text)]));
for (const step of ['extract', 'build']) {
  const run = spawnSync('lit-localize', [step], { cwd: here(), encoding: 'utf8', shell: true });
  process.stdout.write(run.stdout);
  process.stderr.write(run.stderr);
  // A missing translation is only a warning of lit-localize, but would mix English into the page.
  if (run.status !== 0 || /is missing/.test(run.stdout + run.stderr)) process.exit(run.status || 1);
  if (step === 'extract') restoreOrder(before);
}

/** The files in the first script: its static imports, recursively. */
function firstFiles(entry, found = new Set()) {
  if (found.has(entry) || !existsSync(entry)) return found;
  found.add(entry);
  const source = readFileSync(entry, 'utf8');
  for (const [, from, bare] of source.matchAll(
    /^(?:(?:import|export)\s(?!type\s)[^;'"]*?from\s+'(\.[^']+)'|import\s+'(\.[^']+)')/gm,
  ))
    firstFiles(join(dirname(entry), from ?? bare), found);
  return found;
}

const firstIds = new Set(
  [...firstFiles(here('src', 'embed.ts'))].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bid: '([^']+)'/g)].map(([, id]) => id),
  ),
);

const texts = (file) => [
  ...readFileSync(file, 'utf8').matchAll(/^\s*'([^']+)': ((?:str)?`(?:[^`\\]|\\.)*`),$/gm),
];

const codes = readdirSync(generated('locales'))
  .map((name) => name.replace(/\.ts$/, ''))
  .toSorted();
for (const [part, wanted] of [
  ['first', (id) => firstIds.has(id)],
  ['later', (id) => !firstIds.has(id)],
]) {
  rmSync(generated(part), { recursive: true, force: true });
  mkdirSync(generated(part), { recursive: true });
  for (const code of codes) {
    const own = texts(generated('locales', `${code}.ts`)).filter(([, id]) => wanted(id));
    const lines = own.map(([, id, text]) => `  '${id}': ${text},\n`).join('');
    const str = lines.includes('str`') ? "import { str } from '@lit/localize';\n\n" : '';
    writeFileSync(
      generated(part, `${code}.ts`),
      `${HEAD}${str}export const templates = {\n${lines}};\n`,
    );
  }
}
rmSync(generated('locales'), { recursive: true });

const name = (code) => code.replaceAll('-', '');
const loaders = codes
  .flatMap((code) => [
    `  '${code}': () => import('./first/${code}.ts'),\n`,
    `  '${code}-later': () => import('./later/${code}.ts'),\n`,
  ])
  .join('');
writeFileSync(
  generated('loaders.ts'),
  `${HEAD}import type { LocaleModule } from '@lit/localize';

const FILES: Readonly<Record<string, () => Promise<LocaleModule>>> = {
${loaders}};

/** Fetches texts: of a language what paying needs, or with \`-later\` after its name the rest. */
export const load = (name: string): Promise<LocaleModule> => FILES[name]!();
`,
);
writeFileSync(
  generated('every.ts'),
  `${HEAD}${codes
    .flatMap((code) =>
      ['first', 'later'].map(
        (part) => `import { templates as ${name(code)}_${part} } from './${part}/${code}.ts';\n`,
      ),
    )
    .join('')}
/** Every language with all its texts: for servers. */
export const every = {
${codes.map((code) => `  '${code}': { ...${name(code)}_first, ...${name(code)}_later },\n`).join('')}};
`,
);
