import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from 'svelte/compiler';
import { afterAll, expect, it } from 'vitest';
import { compileScript, parse } from 'vue/compiler-sfc';

const root = fileURLToPath(new URL('..', import.meta.url));
const whole = readFileSync(`${root}README.md`, 'utf8');
const readme = readFileSync(`${root}packages/elements/README.md`, 'utf8') + whole;
const reference = readFileSync(`${root}docs/elements.md`, 'utf8');
const blocks = (language: string): string[] =>
  [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text]) => (name === language && text ? [text] : []));
/** Beside the packages, so that they are found; never checked in. */
const folder = `${root}packages/elements/dist/readme`;

const checked = (project: string): { stdout: string; status: number | null } => {
  const { stdout, status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], {
    cwd: root,
    encoding: 'utf8',
  });
  return { stdout, status };
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the blocks for React and Next.js hold by their types', () => {
  mkdirSync(folder, { recursive: true });
  const files = blocks('tsx').map((text, at) => {
    writeFileSync(`${folder}/block${at}.tsx`, `/** @jsxImportSource react */\n${text}`);
    return `block${at}.tsx`;
  });
  expect(files).toHaveLength(3);
  const options = {
    extends: '../../types/test/tsconfig.json',
    include: [...files, '../../types/react.d.ts', '../../../protocol/src/*.d.ts'],
    // What is built is left out otherwise, and nothing would be checked.
    exclude: [],
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(options));
  expect(checked(folder)).toEqual({ stdout: '', status: 0 });
}, 60_000);

it('the blocks for Vue and Svelte compile', () => {
  for (const text of blocks('vue')) {
    const { descriptor, errors } = parse(text);
    expect(errors).toEqual([]);
    expect(compileScript(descriptor, { id: 'readme', inlineTemplate: true }).content).toContain('onCheckoutPaid');
  }
  for (const text of blocks('svelte')) {
    const { js, warnings } = compile(text, {});
    expect(js.code).toContain("'checkout-paid'");
    expect(warnings).toEqual([]);
  }
});

it('every attribute, event, custom property and part that is named exists', () => {
  const known = (name: string): void => expect(reference, name).toContain(name);
  const code = ['html', 'css', 'js', 'ts', 'tsx', 'vue', 'svelte'].flatMap(blocks).join('\n');
  for (const [name] of code.matchAll(/--crypto-checkout-[\w-]+/g)) known(`\`${name}\``);
  for (const [, name] of code.matchAll(/::part\(([\w-]+)\)/g)) known(`\`::part(${name})\``);
  for (const [name] of readme.matchAll(/\bcheckout-(?:ready|change|paid|error|close)\b/g)) known(`\`${name}\``);
  for (const [, attributes = ''] of blocks('html')
    .join('\n')
    .matchAll(/<crypto-[\w-]+ ([^>]*)>/g))
    for (const [, name] of attributes.matchAll(/([\w-]+)=/g)) known(`\`${name}\``);
  for (const [, demo] of readme.matchAll(/demo="([\w-]+)/g)) known(`| \`${demo}\``);
});

it('the blocks about the webhook hold by their types, in strict TypeScript', () => {
  const place = `${root}packages/client/dist/readme`;
  mkdirSync(place, { recursive: true });
  const names = ['README.md', 'packages/client/README.md'].map((path, at) => {
    const text = readFileSync(root + path, 'utf8');
    const [block] = [...text.matchAll(/^```[jt]s\n([\s\S]*?)^```$/gm)]
      .map(([, code = '']) => code)
      .filter((code) => code.includes('verifyWebhook('));
    const own = block!.split('\n\n// A callback of the service')[0]!;
    const imported = own.includes('import ') ? '' : "import { verifyWebhook } from '@crypto-checkout/client';\n";
    const given = `declare const request: Request, ship: (order: string | null) => Promise<void>, fulfil: (order: string | null, id: string) => void;\n`;
    writeFileSync(`${place}/block${at}.ts`, `${imported}${given}${own}\nvoid [ship, fulfil, id];\n`);
    return `block${at}.ts`;
  });
  writeFileSync(
    `${place}/tsconfig.json`,
    JSON.stringify({
      extends: '../../../../tsconfig.json',
      compilerOptions: { types: ['node'], noPropertyAccessFromIndexSignature: false },
      include: names,
      exclude: [],
    }),
  );
  const said = checked(place);
  rmSync(place, { recursive: true, force: true });
  expect(said).toEqual({ stdout: '', status: 0 });
}, 60_000);
