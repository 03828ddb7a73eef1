// Function, not size: the classic script is a single file, and loads its languages from the files
// of the module. Without this plugin it would hold all 31, or none: "works as a classic file" in
// packages/page/src/embed.test.ts reads one.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import type { Plugin } from 'vite';

const NUMBERING = readFileSync(new URL('message-numbers.ts', import.meta.url), 'utf8');

/**
 * Emits each language's files beside the scripts, all under one content hash. A script then needs
 * no list of sixty file names, and the classic script, which emits no files, loads those of the
 * module.
 * @param generated folder of the generated language modules, with a trailing slash
 * @param numbering source of the rule that numbers the texts: after another one a cached file of
 * the same texts would have other words at a script's numbers
 */
export const languageFiles = (generated: string, numbering = NUMBERING): Plugin => {
  const texts = ['first', 'later'].flatMap((part) =>
    readdirSync(generated + part).map((file) => ({
      id: `${generated}${part}/${file}`,
      name: file.replace('.ts', '') + suffixOf(part),
    })),
  );
  const hash = createHash('sha256')
    .update([numbering, ...texts.map(({ id }) => readFileSync(id, 'utf8'))].join())
    .digest('base64url')
    .slice(0, 8);
  const loaders = `export const load = (name) => import(/* @vite-ignore */ './' + name + '-${hash}.mjs')`;
  return {
    name: 'language-files',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => ['embed', 'hydrate', 'page', 'classic'].includes(name),
    buildStart() {
      if (this.environment.name === 'classic') return;
      for (const { id, name } of texts)
        this.emitFile({
          type: 'chunk',
          id,
          fileName: `${name}-${hash}.mjs`,
          preserveSignature: 'strict',
        });
    },
    load: (id) => (id === `${generated}loaders.ts` ? loaders : null),
    // A language file without imports fits every script.
    transform(code, id) {
      if (!texts.some((text) => text.id === id)) return null;
      const str = 'const str = (strings, ...values) => ({ strTag: true, strings, values });';
      return { code: code.replace("import { str } from '@lit/localize';", str), map: null };
    },
  };
};

const suffixOf = (part: string): string => (part === 'later' ? '-later' : '');
