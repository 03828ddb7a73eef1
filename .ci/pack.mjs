// `npm run pack`: the packages that shops import, as files for `npm install`, in dist/packages/.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, requireNode, root } from './setup.mjs';

requireNode();
ensureInstalled();
const run = (command, args) => {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${result.stdout}${result.stderr}`);
  return result.stdout;
};
const out = join(root, 'dist', 'packages');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
// Each is built against the ones before it.
for (const [room, config] of [
  ['protocol', 'tsconfig.json'],
  ['client', 'tsconfig.json'],
  ['elements', 'tsconfig.pack.json'],
]) {
  rmSync(join(root, 'packages', room, 'dist'), { recursive: true, force: true });
  run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', join('packages', room, config)]);
  if (room === 'elements') run('npm', ['run', '-s', 'manifest', '-w', 'packages/elements']);
  const file = run('npm', ['pack', '--silent', '--pack-destination', out, '-w', `packages/${room}`]).trim();
  console.log(`dist/packages/${file}`);
}
