export const sampledFiles: string[];
export const sampledSpecs: string[];
export function turnOf(seed: number | string): number;
export function leftOut(seed: number | string): string[];
export const engineSpecs: { firefox: string[]; webkit: string[] };
export function leftOutSpecs(seed: number | string, engine?: string): string[];
export function componentFiles(
  all: readonly string[],
  seed: number | string,
  engine: string,
): string[];
