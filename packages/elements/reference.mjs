// Writes what is generated from the elements' sources: `docs/elements.md`, and in `types/` the types of the tags for JSX, Vue and
// Svelte. `--check` writes nothing and ends with 1 when something checked in is stale.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { referenceOf } from './reference/markdown.mjs';
import { typesOf } from './reference/types.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');

/** Runs the analyzer on the sources of today. */
function analyze() {
  const out = mkdtempSync(join(tmpdir(), 'manifest-'));
  try {
    const cem = join(root, 'node_modules/@custom-elements-manifest/analyzer/cem.js');
    const options = ['--litelement', '--quiet', '--globs', 'src/**/*.ts', '--exclude', 'src/generated/**', '--outdir', relative(here, out)];
    const { status, stderr, stdout } = spawnSync(process.execPath, [cem, 'analyze', ...options], { cwd: here, encoding: 'utf8' });
    if (status !== 0) throw new Error(`cem analyze failed: ${stderr}${stdout}`);
    return JSON.parse(readFileSync(join(out, 'custom-elements.json'), 'utf8'));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** The scenarios of the attribute `demo`, read from their own table. */
function scenarios() {
  const script = `import { SCENES } from ${JSON.stringify(pathToFileURL(join(here, 'src/scenario/list.ts')).href)};
    const told = ({ stage, fault }) => (fault && fault !== 'offline' ? fault + '!' : stage + (fault ? ' (' + fault + ')' : ''));
    console.log(JSON.stringify(Object.entries(SCENES).map(([name, { about, steps }]) => ({ name, about, steps: steps.map(told) }))));`;
  const options = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', script];
  const { status, stderr, stdout } = spawnSync(process.execPath, options, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the scenarios cannot be read: ${stderr}`);
  return JSON.parse(stdout);
}

const textOf = (file) => readFileSync(join(here, 'src', file), 'utf8');

/** What each custom property is when nobody sets it, as the style sheets have it. */
function defaultsOf() {
  const found = {};
  for (const file of ['sheet.ts', 'after/sheet.ts'])
    for (const [, name, value] of textOf(file).matchAll(/var\((--crypto-checkout-[\w-]+), ((?:[^()]|\([^()]*\))+)\)/g)) found[name] = value;
  return found;
}

/** A type with a name of its own, as the values that it stands for: readers have only the reference. */
function written(type) {
  const [, name] = /\b(Show)\b/.exec(type) ?? [];
  const [, values] = (name && new RegExp(`^export type ${name} = (.*);$`, 'm').exec(textOf('panel.ts'))) || [];
  return values ? type.replace(name, values) : type;
}

/** What events and the property `checkout` hold, as its source declares it. */
function checkoutType() {
  const source = readFileSync(join(root, 'packages/protocol/src/checkout.ts'), 'utf8');
  const one = /^(?:\/\*\*[^\n]*\n)?export (?:const (\w+)[\s\S]*?;$|interface (\w+)[\s\S]*?^\})/gm;
  const declared = new Map([...source.matchAll(one)].map(([text, list, name]) => [list ?? name, text]));
  const lists = ['STAGES', 'NOTES', 'PAYMENT_SOURCES'].map((name) => declared.get(name));
  // With everything that it holds, and what that holds.
  const names = new Set(['Checkout']);
  for (const name of names) for (const [held] of declared.get(name).matchAll(/\bCheckout\w+/g)) if (declared.has(held)) names.add(held);
  const interfaces = [...declared].filter(([name]) => names.has(name)).map(([, text]) => text);
  const words =
    'What events carry as `checkout`, what the property of that name holds, and what `GET /checkouts/:id` answers. Readers accept a stage, a note and members that they do not know.';
  return `\n## The checkout\n\n${words}\n\n\`\`\`ts\n${[...lists, ...interfaces].join('\n\n').replaceAll('export ', '')}\n\`\`\`\n`;
}

const isPublic = ({ privacy, name }) => !['private', 'protected'].includes(privacy) && !/^[#']/.test(name);
const byName = (a, b) => (a.name < b.name ? -1 : 1);
/** Of what is inherited, only what a shop has a use for. */
const INNER = ['language', 'say'];

/** The elements that a page may use, each with what is public about it. `<crypto-checkout>` comes first. */
export function elementsOf(manifest) {
  const defaults = defaultsOf();
  return manifest.modules
    .flatMap(({ path, declarations = [] }) =>
      declarations.map((declaration) => ({ ...declaration, file: path.replace(/^src\/|\.ts$/g, '') })),
    )
    .filter(({ tagName }) => tagName)
    .map(({ name, file, tagName, summary, description, members = [], attributes = [], events = [], ...rest }) => {
      const own = members.filter((member) => isPublic(member) && !member.static && !INNER.includes(member.name));
      // What its comment names goes before what its own name comes to.
      const attributeOf = ({ name: field, readonly }) => {
        const found = readonly ? [] : attributes.filter(({ fieldName }) => fieldName === field);
        return found.find(({ attribute }) => attribute)?.attribute ?? found[0]?.name;
      };
      return {
        name,
        file,
        tag: tagName,
        summary,
        description,
        properties: own
          .filter(({ kind }) => kind === 'field')
          .map((field) => ({ ...field, attribute: attributeOf(field), type: written(field.type?.text ?? 'unknown') })),
        // Attributes without a property of their own.
        attributes: attributes
          .filter(({ fieldName }) => !fieldName)
          .map((attribute) => ({ ...attribute, type: attribute.type?.text ?? 'string' })),
        // The analyzer also finds what is dispatched; only what is documented has a name.
        events: events.filter(({ name: event, description: text }) => event?.includes('-') && text).toSorted(byName),
        methods: own.filter(({ kind }) => kind === 'method'),
        slots: rest.slots ?? [],
        states: rest.cssStates ?? rest.states ?? [],
        parts: (rest.cssParts ?? []).toSorted(byName),
        customProperties: (rest.cssProperties ?? []).map((property) => ({
          ...property,
          default: property.default ?? defaults[property.name],
        })),
      };
    })
    .toSorted((a, b) => Number(b.tag === 'crypto-checkout') - Number(a.tag === 'crypto-checkout') || (a.tag < b.tag ? -1 : 1));
}

/** Every generated file, by its path from the repository's root. */
export function filesOf(elements) {
  const types = Object.entries(typesOf(elements)).map(([name, text]) => [`packages/elements/types/${name}.d.ts`, text]);
  return Object.fromEntries([['docs/elements.md', referenceOf(elements, scenarios()) + checkoutType()], ...types]);
}

/** As the repository formats them. */
function formatted(files) {
  const folder = mkdtempSync(join(tmpdir(), 'reference-'));
  try {
    writeFileSync(join(folder, '.oxfmtrc.json'), readFileSync(join(root, '.oxfmtrc.json')));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'node_modules/oxfmt/bin/oxfmt'), '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`oxfmt failed: ${stderr}`);
    return Object.fromEntries(Object.keys(files).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** @returns the paths of files that are not what they would be today */
export function stale() {
  const files = formatted(filesOf(elementsOf(analyze())));
  return Object.entries(files)
    .filter(([path, text]) => read(join(root, path)) !== text)
    .map(([path, text]) => ({ path, text }));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const changed = stale();
  if (process.argv.includes('--check')) {
    if (changed.length) {
      console.error(`stale: ${changed.map(({ path }) => path).join(', ')}; "npm run reference -w packages/elements" writes them`);
      process.exit(1);
    }
  } else
    for (const { path, text } of changed) {
      writeFileSync(join(root, path), text);
      console.log(`wrote ${path}`);
    }
}
