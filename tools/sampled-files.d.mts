export const sampledFiles: string[];
export function leftOut(seed: number | string): string[];
