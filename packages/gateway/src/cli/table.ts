import type { Io, Shape } from './io.ts';

type Cell = string | number | boolean | null | undefined;
export type Row = Readonly<Record<string, Cell | readonly string[]>>;

/** Widest column of a terminal; longer values are for a pipe and for `--json`. */
const WIDEST = 64;

/** Prints rows as a table for people, or as one JSON document for programs. */
export function showRows(io: Io, { json }: Shape, rows: readonly Row[], none: string): void {
  if (json) return io.out(JSON.stringify(rows, null, 2));
  if (rows.length === 0) return io.note(none);
  const names = Object.keys(rows[0]!);
  const cells = [
    names.map((name) => name.replaceAll('_', ' ')),
    ...rows.map((row) => names.map((name) => textOf(row[name], io.isTerminal === true))),
  ];
  const widths = names.map((_, column) =>
    Math.max(...cells.map((line) => lengthOf(line[column]!))),
  );
  for (const line of cells)
    io.out(
      line
        .map((cell, column) => cell + ' '.repeat(widths[column]! - lengthOf(cell)))
        .join('  ')
        .trimEnd(),
    );
}

/** Prints one record, a line for each member. */
export function showOne(io: Io, { json }: Shape, one: Row): void {
  if (json) return io.out(JSON.stringify(one, null, 2));
  const widest = Math.max(...Object.keys(one).map((name) => name.length));
  for (const [name, value] of Object.entries(one))
    io.out(`${name.replaceAll('_', ' ').padEnd(widest)}  ${whole(value)}`);
}

const whole = (value: Row[string]): string =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)
    ? '–'
    : Array.isArray(value)
      ? value.join(', ')
      : String(value);

function textOf(value: Row[string], isCut: boolean): string {
  const text = whole(value).replaceAll(/\s+/g, ' ');
  return isCut && lengthOf(text) > WIDEST
    ? `${Array.from(text)
        .slice(0, WIDEST - 1)
        .join('')}…`
    : text;
}

const lengthOf = (text: string): number => Array.from(text).length;
