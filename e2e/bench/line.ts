/** One measured line: a figure, its budget, and its inputs. */
export interface Line {
  what: string;
  value: number;
  unit: string;
  digits?: number;
  atMost?: number;
  atLeast?: number;
  detail: string;
}

export const median = (values: readonly number[]): number => at(values, 1 / 2);

/** The first quartile. */
export const quarter = (values: readonly number[]): number => at(values, 1 / 4);

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

export const range = (values: readonly number[], digits = 2): string =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
