export const sampledFiles: string[];
export const sampledSpecs: string[];
export function leftOut(seed: number | string): string[];
export function leftOutSpecs(seed: number | string): string[];
