// Generates `docs/elements.md` and the tag types for JSX, Vue and Svelte in `types/` from the
// elements' sources. `--check` writes nothing and exits with 1 if a file is stale.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { referenceOf } from './reference/markdown.mjs';
import { typesOf } from './reference/types.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');

/** Analyzes the current sources. */
function analyze() {
  const out = mkdtempSync(join(tmpdir(), 'manifest-'));
  try {
    const cem = join(root, 'node_modules/@custom-elements-manifest/analyzer/cem.js');
    const options = [
      '--litelement',
      '--quiet',
      '--globs',
      'src/**/*.ts',
      '--exclude',
      'src/generated/**',
      '--exclude',
      'src/**/*.test.ts',
      '--outdir',
      relative(here, out),
    ];
    const { status, stderr, stdout } = spawnSync(process.execPath, [cem, 'analyze', ...options], {
      cwd: here,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`cem analyze failed: ${stderr}${stdout}`);
    return JSON.parse(readFileSync(join(out, 'custom-elements.json'), 'utf8'));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** The scenarios of the attribute `demo`. */
function scenarios() {
  const script = `import { SCENES } from ${JSON.stringify(pathToFileURL(join(here, 'src/scenario/list.ts')).href)};
    const label = ({ stage, fault }) => (fault && fault !== 'offline' ? fault + '!' : stage + (fault ? ' (' + fault + ')' : ''));
    console.log(JSON.stringify(Object.entries(SCENES).map(([name, { about, steps }]) => ({ name, about, steps: steps.map(label) }))));`;
  const options = [
    '--conditions=source',
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    script,
  ];
  const { status, stderr, stdout } = spawnSync(process.execPath, options, {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`cannot read the scenarios: ${stderr}`);
  return JSON.parse(stdout);
}

const textOf = (file) => readFileSync(join(here, 'src', file), 'utf8');

/** Default values of the custom properties in the style sheets. */
function defaultsOf() {
  const found = {};
  for (const file of ['styles/sheet.ts', 'styles/checkout-sheet.ts', 'status/sheet.ts'])
    for (const [, name, value] of textOf(file).matchAll(
      /var\((--crypto-checkout-[\w-]+), ((?:[^()]|\([^()]*\))+)\)/g,
    ))
      found[name] = value;
  return found;
}

/** Replaces a named type by its values, because the reference does not list it. */
function written(type) {
  const [, name] = /\b(Show)\b/.exec(type) ?? [];
  const [, values] =
    (name && new RegExp(`^export type ${name} = (.*);$`, 'm').exec(textOf('core/panel.ts'))) || [];
  return values ? type.replace(name, values) : type;
}

/** The type of `checkout` in events and properties, from its source. */
function checkoutType() {
  const source = readFileSync(join(root, 'packages/protocol/src/checkout/checkout.ts'), 'utf8');
  const one =
    /^(?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?export (?:const (\w+)[\s\S]*?;$|interface (\w+)[\s\S]*?^\})/gm;
  const declared = new Map(
    [...source.matchAll(one)].map(([text, list, name]) => [list ?? name, text]),
  );
  const lists = ['STAGES', 'NOTES', 'PAYMENT_SOURCES'].map((name) => declared.get(name));
  // Including nested types.
  const names = new Set(['Checkout']);
  for (const name of names)
    for (const [held] of declared.get(name).matchAll(/\bCheckout\w+/g))
      if (declared.has(held)) names.add(held);
  const interfaces = [...declared].filter(([name]) => names.has(name)).map(([, text]) => text);
  const words =
    'The type of `checkout` in events and properties, and of the answer to `GET /checkouts/:id`. Clients must accept unknown stages, notes and members.';
  return `\n## The checkout\n\n${words}\n\n\`\`\`ts\n${[...lists, ...interfaces].join('\n\n').replaceAll('export ', '')}\n\`\`\`\n`;
}

const isPublic = ({ privacy, name }) =>
  !['private', 'protected'].includes(privacy) && !/^[#']/.test(name);
const byName = (a, b) => (a.name < b.name ? -1 : 1);
/** Inherited members that are left out. */
const INNER = ['language', 'say'];

/** The public interface of every element. `<crypto-checkout>` comes first. */
export function elementsOf(manifest) {
  const defaults = defaultsOf();
  return manifest.modules
    .flatMap(({ path, declarations = [] }) =>
      declarations.map((declaration) => ({ ...declaration, file: basename(path, '.ts') })),
    )
    .filter(({ tagName }) => tagName)
    .map(
      ({
        name,
        file,
        tagName,
        summary,
        description,
        members = [],
        attributes = [],
        events = [],
        ...rest
      }) => {
        const own = members.filter(
          (member) => isPublic(member) && !member.static && !INNER.includes(member.name),
        );
        // A documented attribute takes precedence over the derived name.
        const attributeOf = ({ name: field, readonly }) => {
          const found = readonly ? [] : attributes.filter(({ fieldName }) => fieldName === field);
          return found.find(({ attribute }) => attribute)?.attribute ?? found[0]?.name;
        };
        return {
          name,
          // The package's index exports most classes; the others have a subpath of their own.
          module: new RegExp(`\\b${name}\\b`).test(textOf('index.ts')) ? '' : `/${file}`,
          tag: tagName,
          summary,
          description,
          properties: own
            .filter(({ kind }) => kind === 'field')
            .map((field) => ({
              ...field,
              attribute: attributeOf(field),
              type: written(field.type?.text ?? 'unknown'),
            })),
          // Attributes without a property of their own.
          attributes: attributes
            .filter(({ fieldName }) => !fieldName)
            .map((attribute) => ({ ...attribute, type: attribute.type?.text ?? 'string' })),
          // The analyzer also lists dispatched events; only documented ones have a description.
          events: events
            .filter(({ name: event, description: text }) => event?.includes('-') && text)
            .toSorted(byName),
          methods: own.filter(({ kind }) => kind === 'method'),
          slots: rest.slots ?? [],
          states: rest.cssStates ?? rest.states ?? [],
          parts: (rest.cssParts ?? []).toSorted(byName),
          customProperties: (rest.cssProperties ?? []).map((property) => ({
            ...property,
            default: property.default ?? defaults[property.name],
          })),
        };
      },
    )
    .toSorted(
      (a, b) =>
        Number(b.tag === 'crypto-checkout') - Number(a.tag === 'crypto-checkout') ||
        (a.tag < b.tag ? -1 : 1),
    );
}

/** Generated files by path from the repository's root. */
export function filesOf(elements) {
  const types = Object.entries(typesOf(elements)).map(([name, text]) => [
    `packages/elements/types/${name}.d.ts`,
    text,
  ]);
  return Object.fromEntries([
    ['docs/elements.md', referenceOf(elements, scenarios()) + checkoutType()],
    ...types,
  ]);
}

/** Formats files with the repository's settings. */
function formatted(files) {
  const folder = mkdtempSync(join(tmpdir(), 'reference-'));
  try {
    writeFileSync(join(folder, '.oxfmtrc.json'), readFileSync(join(root, '.oxfmtrc.json')));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/oxfmt/bin/oxfmt'), '.'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(`oxfmt failed: ${stderr}`);
    return Object.fromEntries(
      Object.keys(files).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
    );
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

/** @returns the stale files, with their current text */
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
      console.error(
        `stale: ${changed.map(({ path }) => path).join(', ')}; "npm run reference -w packages/elements" writes them`,
      );
      process.exit(1);
    }
  } else
    for (const { path, text } of changed) {
      writeFileSync(join(root, path), text);
      console.log(`wrote ${path}`);
    }
}
