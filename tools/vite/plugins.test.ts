import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Plugin, minify } from 'vite';
import { describe, expect, it } from 'vitest';
import { adoptedStyleSheets } from './adopted-style-sheets.ts';
import { languageFiles } from './language-files.ts';
import { refuseUse, withoutUnused } from './lit-unused.ts';
import { messageNumbers } from './message-numbers.ts';
import { minifyTemplates } from './minify-templates.ts';
import { plainImport, withPlainImports } from './plain-import.ts';
import { qrSegments } from './qr-segments.ts';
import { withSharedHash } from './shared-hash.ts';
import { onlyHelpers, shortDigests, withoutTexts } from './short-hydration.ts';
import { shortNames } from './short-names.ts';
import { stylesFromPage } from './styles-from-page.ts';

const require = createRequire(import.meta.url);

/** Calls a plugin's hook outside a build. */
async function call(
  plugin: Plugin,
  hook: 'load' | 'transform' | 'resolveId',
  ...values: unknown[]
): Promise<unknown> {
  return (plugin[hook] as (...given: unknown[]) => unknown)(...values);
}

const exportsOf = (code: string): string[] => {
  const declared = [...code.matchAll(/export (?:const|class|function) (\w+)/g)].map(
    ([, name]) => name!,
  );
  const listed = [...code.matchAll(/export\s*\{([^}]*)\}/g)].flatMap(([, list]) =>
    list!.split(',').map((item) =>
      item
        .trim()
        .split(/\s+as\s+/)
        .at(-1)!,
    ),
  );
  return [...declared, ...listed].toSorted();
};

describe('adopted style sheets', () => {
  it("exports every name of Lit's module that it replaces", async () => {
    const path = fileURLToPath(
      new URL('../../node_modules/@lit/reactive-element/css-tag.js', import.meta.url),
    );
    const ours = exportsOf((await call(adoptedStyleSheets(), 'load', path)) as string);
    expect(exportsOf(readFileSync(path, 'utf8')).length).toBeGreaterThan(3);
    expect(ours).toEqual(expect.arrayContaining(exportsOf(readFileSync(path, 'utf8'))));
  });
});

describe('QR segments', () => {
  it("replaces the two inner modules that qrcode's core still asks for", async () => {
    const core = readFileSync(require.resolve('qrcode/lib/core/qrcode.js'), 'utf8');
    expect(core).toContain("require('./segments')");
    const from = '/x/qrcode/lib/core/qrcode.js';
    expect(await call(qrSegments(), 'resolveId', './segments', from)).toBe('\0qr/segments');
    const code = (await call(qrSegments(), 'load', '\0qr/segments')) as string;
    const asked = [...core.matchAll(/Segments\.(\w+)/g)].map(([, name]) => name);
    // `fromString` and `rawSplit` serve plain texts; our encoder passes segments.
    for (const name of asked.filter((name) => name !== 'fromString' && name !== 'rawSplit'))
      expect(code).toContain(`exports.${name} =`);
  });
});

describe('plain import', () => {
  it("replaces Vite's preload helper and nothing else", async () => {
    expect(await call(plainImport(), 'load', '\0vite/preload-helper.js')).toContain(
      '__vitePreload',
    );
    expect(await call(plainImport(), 'load', '/x/other.js')).toBeNull();
  });

  it('leaves the imports without its calls, and refuses a call of another form', () => {
    const code = `import { a, G as __vitePreload } from "./page.mjs";
const one = () => __vitePreload(() => import("./one.mjs"), __VITE_PRELOAD__);
const { x } = await __vitePreload(async () => {
  const { x, y } = await import("./two.mjs").then((n) => n.t);
  return { x, y };
}, __VITE_PRELOAD__);
`;
    expect(withPlainImports(code)).toBe(`import { a, } from "./page.mjs";
const one = () => import("./one.mjs");
const { x } = await import("./two.mjs").then((n) => n.t);
`);
    expect(() => withPlainImports('__vitePreload(load, [])')).toThrow('another call');
  });
});

describe('template minifier', () => {
  it('minifies our templates and leaves generated files and libraries alone', async () => {
    const code = 'const a = html`<p>\n   one   <b>two</b>\n</p>`;';
    const own = (await call(
      minifyTemplates(),
      'transform',
      code,
      '/x/packages/elements/src/a.ts',
    )) as { code: string };
    expect(own.code.length).toBeLessThan(code.length);
    expect(
      await call(minifyTemplates(), 'transform', code, '/x/packages/elements/src/generated/a.ts'),
    ).toBeNull();
    expect(await call(minifyTemplates(), 'transform', code, '/x/node_modules/lit/a.ts')).toBeNull();
  });

  it('keeps the shapes of a drawing beside each other', async () => {
    // Without an outer <svg>, only the closing slash ends a shape.
    const code = 'const a = svg`<circle r=${1} />\n  <path d=${2} />`;';
    const { code: own } = (await call(
      minifyTemplates(),
      'transform',
      code,
      '/x/packages/elements/src/a.ts',
    )) as { code: string };
    expect(own).toMatch(/<circle [^>]+\/>\s*<path [^>]+\/>/);
  });
});

describe('language files', () => {
  const generated = fileURLToPath(
    new URL('../../packages/elements/src/generated/', import.meta.url),
  );

  it('loads every language by one content hash', async () => {
    const loader = (await call(
      languageFiles(generated),
      'load',
      `${generated}loaders.ts`,
    )) as string;
    expect(loader).toMatch(/import\(.*'\.\/' \+ name \+ '-[\w-]{8}\.mjs'\)/);
  });

  it('have another name when their texts are numbered by another rule', async () => {
    const nameBy = async (numbering?: string): Promise<unknown> =>
      call(languageFiles(generated, numbering), 'load', `${generated}loaders.ts`);
    expect(await nameBy()).toBe(await nameBy());
    expect(await nameBy('another rule')).not.toBe(await nameBy());
  });

  it('leaves no import in a language file', async () => {
    const file = `${generated}first/de.ts`;
    const source = readFileSync(file, 'utf8');
    const out = (await call(languageFiles(generated), 'transform', source, file)) as {
      code: string;
    };
    expect(out.code).not.toMatch(/^import /m);
  });
});

describe('lazy files', () => {
  const renamed = (...files: string[]): string[] => [...withSharedHash(files).values()];

  it('share one hash, which every change of one of them changes', () => {
    const names = renamed('qr-path-abc123.mjs', 'status-abc-23.mjs');
    expect(names[0]).toMatch(/^qr-path-[\w-]{8}\.mjs$/);
    expect(names[1]).toBe(names[0]!.replace('qr-path', 'status'));
    expect(renamed('status-abc-23.mjs', 'qr-path-abc123.mjs').toReversed()).toEqual(names);
    expect(renamed('qr-path-abc123.mjs', 'status-abc_23.mjs')[0]).not.toBe(names[0]);
  });

  it('are never written over each other', () => {
    expect(() => renamed('status-abc123.mjs', 'status-def456.mjs')).toThrow('status-def456.mjs');
  });
});

describe('message numbers', () => {
  const source = fileURLToPath(new URL('../../packages/elements/src/', import.meta.url));
  const generated = `${source}generated/`;
  const numbered = async (file: string): Promise<string> => {
    const code = readFileSync(file, 'utf8');
    return ((await call(messageNumbers(generated), 'transform', code, file)) as { code: string })
      .code;
  };
  const sources = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.test\.ts$|^(?:generated|scenario)\//.test(file),
  );

  it('replaces every id of a text', async () => {
    for (const file of sources)
      expect(await numbered(source + file), file).not.toMatch(/\bid: '[a-z_.]+',?\s*\}/);
    expect(await numbered(`${source}i18n/locale.ts`)).toContain('current[options]');
  });

  it('puts each translation at the place of its number, in the file of paying or in the other', async () => {
    const textsOf = async (part: string): Promise<string[]> => {
      const [, list = ''] =
        /templates = \[(.*)\];/s.exec(await numbered(`${generated}${part}/de.ts`)) ?? [];
      return list.split(/,(?=\n|,|$)/).map((text) => text.trim());
    };
    const [first, later] = [await textsOf('first'), await textsOf('later')];
    const [, number] = /`Copy`|'Copy', (\d+)\)/.exec(
      await numbered(`${source}components/copy/copy-element.ts`),
    )!;
    expect(first[Number(number)]).toBe('`Kopieren`');
    // The other file leaves the places of the first one empty.
    const count = first.filter(Boolean).length;
    expect(later.findIndex(Boolean)).toBe(count);
  });

  it('refuses a text that no language has', async () => {
    const code = "msg('New', { id: 'not.translated' })";
    await expect(
      call(messageNumbers(generated), 'transform', code, `${source}new.ts`),
    ).rejects.toThrow('not.translated');
  });
});

describe('short names', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const contracts = `${root}packages/elements/src/core/contracts.ts`;
  const shorten = async (code: string, path: string): Promise<string> =>
    ((await call(shortNames(contracts), 'transform', code, path)) as { code: string }).code;

  it('are alike in every file, and different for each name', async () => {
    const code = 'status.drawProgress(panel); marks.drawCoin(symbol, null); element.renderOptions;';
    const short = await shorten(code, '/x/packages/elements/src/a.ts');
    expect(short).not.toMatch(/drawProgress|drawCoin|renderOptions/);
    expect(await shorten(code, '/x/node_modules/lit-html/lit-html.js')).toBe(short);
    expect(new Set(short.match(/\$\w+/g)).size).toBe(3);
    expect(await call(shortNames(contracts), 'transform', code, '/x/other.ts')).toBeNull();
  });

  it('are those of code alone: no text, attribute or part contains one', async () => {
    const folder = `${root}packages/elements/src/`;
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
      // A type quotes names of methods.
      const code = readFileSync(folder + file, 'utf8').replaceAll(/Pick<[^>]*>/g, '');
      const quoted = (text: string): string[] => text.match(/'[^'\n]*'/g) ?? [];
      expect(quoted(await shorten(code, folder + file)), file).toEqual(quoted(code));
    }
  });
});

describe('unused parts of Lit', () => {
  const path = 'lit-html/lit-html.js';
  const code = readFileSync(new URL(`../../node_modules/${path}`, import.meta.url), 'utf8');

  it('are cut from the installed Lit, whose rest is a module with the same exports', async () => {
    for (const one of [
      path,
      'lit-element/lit-element.js',
      '@lit/reactive-element/reactive-element.js',
      '@lit-labs/ssr-client/lib/hydrate-lit-html.js',
      '@lit-labs/ssr-client/lit-element-hydrate-support.js',
    ]) {
      const whole = readFileSync(new URL(`../../node_modules/${one}`, import.meta.url), 'utf8');
      const cut = withoutUnused(whole, `/node_modules/${one}`)!;
      expect(cut.length, one).toBeLessThan(whole.length);
      const { errors } = await minify(one, cut, { module: true });
      expect(errors, one).toEqual([]);
      expect(exportsOf(cut), one).toEqual(exportsOf(whole));
    }
  });

  it('fail the build after an update that changes one of them, and leave other files alone', () => {
    expect(() => withoutUnused(code.replace('_$Cv', '_$Cx'), `/${path}`)).toThrow('_$Cv');
    expect(withoutUnused(code, '/x/other.js')).toBeNull();
  });

  it('fail the build when a source uses one of them', () => {
    for (const use of [
      "import { keyed } from 'lit/directives/keyed.js';",
      'size: { type: Number, reflect: true },',
      'const field = html`<textarea>${text}</textarea>`;',
      'const field = html`<textarea rows=${2}>${text}</textarea>`;',
    ])
      expect(() => refuseUse(use, 'new.ts'), use).toThrow('lit-unused.ts');
    refuseUse("import { html } from 'lit'; const a = html`<p>${1}</p>`;", 'new.ts');
    // Attributes of such an element are read as those of any other.
    refuseUse('const a = html`<textarea rows=${2} .value=${text}></textarea>${1}`;', 'new.ts');
  });
});

describe('short hydration', () => {
  const installed = (path: string): string =>
    readFileSync(new URL(`../../node_modules/${path}`, import.meta.url), 'utf8');

  it('keeps the helpers that hydration takes from the installed Lit', () => {
    const path = '@lit-labs/ssr-client/lib/hydrate-lit-html.js';
    const hydrate = withoutUnused(installed(path), `/${path}`)!;
    const helpers = onlyHelpers(installed('lit-html/private-ssr-support.js'));
    const [, taken = ''] = /const\{([^}]*)\}=\w+,/.exec(hydrate) ?? [];
    const names = taken.split(',').map((name) => name.split(':')[0]!);
    expect(names.length).toBe(3);
    for (const name of names) expect(helpers).toMatch(new RegExp(`${name}: helpers\\.\\w`));
  });

  it('leaves out texts of errors and nothing else', () => {
    const hydrate = installed('@lit-labs/ssr-client/lib/hydrate-lit-html.js');
    const short = withoutTexts(hydrate);
    expect(short.match(/throw Error\(\)/g)?.length).toBe(hydrate.match(/throw Error\(/g)?.length);
    expect(short).not.toContain('console');
    expect(short).toContain('export{');
  });

  it('compares the start of a digest, and refuses a Lit that compares none', () => {
    const hydrate = installed('@lit-labs/ssr-client/lib/hydrate-lit-html.js');
    expect(shortDigests(hydrate)).toContain('.slice(0,3)');
    expect(() => shortDigests('export {}')).toThrow('digest');
  });
});

describe('styles from the page', () => {
  it('replaces the sheets that the server writes into every page', async () => {
    for (const [file, name] of [
      ['styles/sheet.ts', 'sheet'],
      ['styles/checkout-sheet.ts', 'checkoutSheet'],
      ['status/status-sheet.ts', 'statusSheet'],
    ]) {
      const path = fileURLToPath(new URL(`../../packages/elements/src/${file}`, import.meta.url));
      expect(readFileSync(path, 'utf8')).toContain(`export const ${name}`);
      expect(await call(stylesFromPage(), 'load', path)).toMatch(
        new RegExp(`export .*\\b${name}\\b`),
      );
    }
    expect(await call(stylesFromPage(), 'load', '/x/other.ts')).toBeNull();
  });
});

describe('the sheet of the coin picker', () => {
  it('is taken from the list of coins by a module with the same export', () => {
    const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const { resolveId } = stylesFromPage();
    const picker = at('packages/elements/src/components/coin-picker/coin-picker.ts');
    expect(readFileSync(picker, 'utf8')).toContain(`{ pickerSheet } from './styles.ts'`);
    const resolve = resolveId as (this: unknown, source: string, from: string) => string | null;
    const page = { environment: { config: { root: at('').replace(/\/$/, '') } } };
    const found = resolve.call(page, './styles.ts', picker)!;
    expect(readFileSync(found, 'utf8')).toContain('export const pickerSheet');
    expect(resolve.call(page, './styles.ts', '/x/other.ts')).toBeNull();
  });
});

describe('single entry file', () => {
  // A small fixture is not split, so this test reads the real build.
  it('leaves the embed script without static imports', () => {
    execFileSync(process.execPath, [fileURLToPath(new URL('../built.mjs', import.meta.url))]);
    const script = readFileSync(
      new URL('../../dist/embed/crypto-checkout.mjs', import.meta.url),
      'utf8',
    );
    expect(script).toMatch(/import\("\.\/|import\(`\.\//);
    expect(script).not.toMatch(/(?:from|import)\s*["`]\.\//);
  }, 60_000);
});
