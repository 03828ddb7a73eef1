import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** Runs a tool of the repository and returns its output, whatever its exit code. */
async function outputOf(tool: string, args: readonly string[], cwd = root): Promise<string> {
  const result = await run(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd,
  }).catch((error: unknown) => error);
  const { stdout, stderr } = result as { stdout: string; stderr: string };
  return stdout + stderr;
}

/** A global that exists on one platform only, and the packages that must not use it. */
const WALLS: readonly [name: string, use: string, packages: readonly string[]][] = [
  ['document', 'document.title', ['protocol', 'client', 'chains', 'gateway', 'bff']],
  ['window', 'window.name', ['protocol', 'client', 'chains', 'gateway', 'bff']],
  ['process', 'process.pid', ['protocol', 'client', 'elements', 'page', 'dashboard']],
  ['Buffer', 'Buffer.from("a")', ['protocol', 'client', 'elements', 'page', 'dashboard']],
];
const CASES = WALLS.flatMap(([name, use, packages]) =>
  packages.map((folder) => [name, folder, use] as const),
);

describe('platform globals', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'walls-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(CASES)('%s does not compile in %s', async (name, room, use) => {
    const file = join(folder, `${room}-${name}.ts`);
    const config = join(folder, `${room}-${name}.json`);
    writeFileSync(file, `export const value: unknown = ${use};\n`);
    const base = join(root, 'packages', room, 'tsconfig.json');
    const compilerOptions = {
      composite: false,
      incremental: false,
      noEmit: true,
      rewriteRelativeImportExtensions: false,
      rootDir: folder,
    };
    const typeRoots = [join(root, 'node_modules', '@types')];
    const options = { ...compilerOptions, typeRoots, tsBuildInfoFile: null };
    writeFileSync(
      config,
      JSON.stringify({
        extends: base,
        compilerOptions: options,
        include: [file],
        exclude: [],
        references: [],
      }),
    );
    expect(await outputOf('typescript/bin/tsc', ['-p', config])).toContain(
      `Cannot find name '${name}'`,
    );
  });

  it.each(CASES)('%s is refused by lint in %s', async (name, room, use) => {
    const file = join(folder, 'packages', room, 'src', `${name}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `export const value: unknown = ${use};\n`);
    const args = ['-c', lintConfig(folder), file];
    expect(await outputOf('oxlint/bin/oxlint', args, folder)).toMatch(
      new RegExp(`Unexpected use of '${name}'`),
    );
  });
});

/**
 * The repository's lint rules, for a copy of its folders elsewhere; rules of plugins written in
 * JavaScript stay behind.
 */
function lintConfig(folder: string): string {
  const {
    jsPlugins: _plugins,
    $schema: _schema,
    ...config
  } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8'));
  config.rules = Object.fromEntries(
    Object.entries(config.rules).filter(([name]) => !name.startsWith('lit/')),
  );
  const path = join(folder, '.oxlintrc.json');
  writeFileSync(path, JSON.stringify(config));
  return path;
}
