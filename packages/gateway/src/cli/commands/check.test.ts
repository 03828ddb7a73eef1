import { Command } from 'commander';
import { expect, it } from 'vitest';
import { fault, manual, ok, type Finding } from '../../check/finding.ts';
import { loadConfig } from '../../config.ts';
import type { Io } from '../io.ts';
import { addCheck } from './check.ts';

const lines: string[] = [];
const io: Io = {
  config: () => loadConfig({}),
  open: () => Promise.reject(new Error('the check opens nothing')),
  input: () => Buffer.alloc(0),
  out: (line) => lines.push(line),
  note: () => {},
  progress: () => {},
  resolve: async () => [],
  isTerminal: true,
};

async function run(findings: Finding[], ...words: string[]): Promise<string[]> {
  lines.length = 0;
  const program = new Command('test').option('--json');
  addCheck(program, io, async () => findings);
  await program.parseAsync([...words, 'check'], { from: 'user' });
  return lines;
}

it('prints each line whole, and ends well without a fault', async () => {
  const long = `${'a sentence '.repeat(20)}with its remedy.`;
  expect(await run([ok('settings', long), manual('backups', 'Try one.')])).toEqual([
    `ok       settings: ${long}`,
    'manual   backups: Try one.',
  ]);
});

it('ends with a sentence, and so with 1, when there is a fault', async () => {
  const findings = [ok('settings', 'They fit.'), fault('rates', 'No source answers.')];
  await expect(run(findings)).rejects.toThrow('There is one fault.');
  await expect(run(findings, '--json')).rejects.toThrow('There is one fault.');
  expect(JSON.parse(lines.join('\n'))).toEqual(findings);
});
