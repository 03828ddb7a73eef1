import { kindOf } from '@crypto-checkout/protocol/kind';
import { AFTER } from './after.ts';
import { COINS } from './coins.ts';
import { FAULTS } from './faults.ts';
import { PAYING } from './paying.ts';
import type { Scene } from './scene.ts';

/** All scenarios, by the name that the attribute `demo` takes. */
export const SCENES = { ...PAYING, ...AFTER, ...COINS, ...FAULTS } satisfies Record<string, Scene>;

export type SceneName = keyof typeof SCENES;

/** What the attribute `demo` says. */
export interface Cue {
  name: SceneName;
  scene: Scene;
  /** The kind to pay with instead of the scene's own. */
  kind: string | null;
  /** The step at which it stands still, from 0; null plays. */
  step: number | null;
}

/**
 * Reads the attribute `demo`: `underpaid` plays, `underpaid#2` stands still at the second step, `underpaid#last` at the last one,
 * `underpaid:XRP` is paid with another kind.
 * @returns null for a name that is not in the list
 */
export function readCue(text: string): Cue | null {
  const [, name = '', kind, step] = /^([\w-]+)(?::([\w-]+))?(?:#(\d+|last))?$/.exec(text.trim()) ?? [];
  if (!Object.hasOwn(SCENES, name) || (kind && !kindOf(kind))) return null;
  const scene: Scene = SCENES[name as SceneName];
  const last = scene.steps.length - 1;
  return {
    name: name as SceneName,
    scene,
    kind: kind ?? null,
    step: step === undefined ? null : step === 'last' ? last : Math.min(Math.max(Number(step) - 1, 0), last),
  };
}
