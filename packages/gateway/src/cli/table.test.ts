import { expect, it } from 'vitest';
import type { Io } from './io.ts';
import { showRows } from './table.ts';

const LONG = 'a reason that is longer than the widest column of a terminal, up to its last word';

function shown(isTerminal: boolean): string {
  const lines: string[] = [];
  const io = { isTerminal, out: (line: string) => lines.push(line) } as unknown as Io;
  showRows(io, {}, [{ id: '1', reason: LONG }], 'none');
  return lines.join('\n');
}

it('a long cell is cut in a terminal, and whole in a pipe', () => {
  expect(shown(true)).toContain('…');
  expect(shown(true)).not.toContain('last word');
  expect(shown(false)).toContain(LONG);
});
