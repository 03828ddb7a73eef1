import type { Step } from './steps.ts';

/** Steps that once broke a rule: they are played in every run, whatever steps a seed makes today. */
export const KEPT: readonly { because: string; seed: number; steps: readonly Step[] }[] = [];
