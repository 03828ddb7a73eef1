export const root: string;
export class SetupError extends Error {}
export function prepare<T extends readonly (() => unknown)[]>(
  ...steps: T
): { [K in keyof T]: T[K] extends () => infer R ? R : never };
export function requireNode(version?: string): void;
interface LockFile {
  packages: Record<string, object>;
}
export function hasPackagesOf(lock: LockFile, copy: LockFile): boolean;
export function ensureInstalled(): void;
export function ensureBuilt(): void;
export function ensureChromium(exists?: (path: string) => boolean): string;
export function requireChromium(exists?: (path: string) => boolean): void;
export function ensureOtherEngines(): string[];
export function ensureLitecoind(): void;
export function ensureElectrum(): void;
export function ensureFonts(): void;
