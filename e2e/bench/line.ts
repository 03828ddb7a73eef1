/** One measured line: a figure, its budget, and the figures that it was made from. */
export interface Line {
  what: string;
  value: number;
  unit: string;
  digits?: number;
  atMost?: number;
  atLeast?: number;
  detail: string;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

export const range = (values: readonly number[], digits = 2): string =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
