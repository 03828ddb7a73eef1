import { KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { nearest } from '@crypto-checkout/protocol/nearest';
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

/** Name, kind and step, as the attribute `demo` writes them. */
const WRITTEN = /^([\w-]+)(?::([\w-]+))?(?:#([\w-]+))?$/;

/**
 * Reads the attribute `demo`: `underpaid` plays, `underpaid#2` stands still at the second step, `underpaid#last` at the last one,
 * `underpaid:XRP` is paid with another kind.
 * @returns null for a name, a kind or a step that there is not
 */
export function readCue(text: string): Cue | null {
  if (mistakeIn(text)) return null;
  const [, name, kind = null, step] = WRITTEN.exec(text.trim())!;
  const scene: Scene = SCENES[name as SceneName];
  const at = step === 'last' ? scene.steps.length : Number(step);
  return { name: name as SceneName, scene, kind, step: step === undefined ? null : at - 1 };
}

/** What is wrong with it, and what there is instead; empty where nothing is. */
export function mistakeIn(text: string): string {
  const [, name = '', kind, step] = WRITTEN.exec(text.trim()) ?? [];
  if (!Object.hasOwn(SCENES, name)) {
    const names = Object.keys(SCENES);
    const meant = nearest(text.split(/[:#]/)[0]!.trim(), names);
    return `there is no scenario "${text}"${meant ? `: is "${meant}" meant? There` : '; there'} are: ${names.join(', ')}`;
  }
  if (kind && !kindOf(kind)) {
    const kinds = KINDS.map((one) => one.kind);
    const meant = kinds.find((one) => one === kind.toUpperCase()) ?? nearest(kind, kinds);
    return `there is no kind "${kind}" for the scenario "${name}": ${meant ? `is "${meant}" meant? There` : 'there'} are: ${kinds.join(', ')}`;
  }
  const { length } = SCENES[name as SceneName].steps;
  const isStep = step === undefined || step === 'last' || (/^[1-9]\d*$/.test(step) && Number(step) <= length);
  return isStep ? '' : `there is no step "${step}" of the scenario "${name}": it has ${length}, and "last" is the last of them`;
}
