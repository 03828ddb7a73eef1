export function serverEntry(program: string): string;
