import { KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { closestName } from '@crypto-checkout/protocol/spelling';
import { EXCEPTIONS } from './exceptions.ts';
import { COINS } from './coins.ts';
import { FAILURES } from './failures.ts';
import { PAYING } from './paying.ts';
import type { Scene } from './scene.ts';

/** All scenarios, by their names in the attribute `demo`. */
export const SCENES = { ...PAYING, ...EXCEPTIONS, ...COINS, ...FAILURES } satisfies Record<
  string,
  Scene
>;

export type SceneName = keyof typeof SCENES;

/** A parsed `demo` attribute. */
export interface ScenarioChoice {
  name: SceneName;
  scene: Scene;
  /** Kind in place of the scene's own. */
  kind: string | null;
  /** Step to hold, from 0; null plays all steps. */
  step: number | null;
}

/** Name, kind and step in the attribute `demo`. */
const WRITTEN = /^([\w-]+)(?::([\w-]+))?(?:#([\w-]+))?$/;

/**
 * Parses the attribute `demo`: `underpaid` plays, `underpaid#2` holds the second step,
 * `underpaid#last` the last one, `underpaid:XRP` pays with another kind.
 * @returns null for an unknown name, kind or step
 */
export function parseScenario(text: string): ScenarioChoice | null {
  if (scenarioError(text)) return null;
  const [, name, kind = null, step] = WRITTEN.exec(text.trim())!;
  const scene: Scene = SCENES[name as SceneName];
  const at = step === 'last' ? scene.steps.length : Number(step);
  return { name: name as SceneName, scene, kind, step: step === undefined ? null : at - 1 };
}

/** Describes the mistake and the alternatives; empty if there is none. */
export function scenarioError(text: string): string {
  const [, name = '', kind, step] = WRITTEN.exec(text.trim()) ?? [];
  if (!Object.hasOwn(SCENES, name)) {
    const names = Object.keys(SCENES);
    const meant = closestName(text.split(/[:#]/)[0]!.trim(), names);
    return `there is no scenario "${text}"${meant ? `: is "${meant}" meant? There` : '; there'} are: ${names.join(', ')}`;
  }
  if (kind && !kindOf(kind)) {
    const kinds = KINDS.map((one) => one.kind);
    const meant = kinds.find((one) => one === kind.toUpperCase()) ?? closestName(kind, kinds);
    return `there is no kind "${kind}" for the scenario "${name}": ${meant ? `is "${meant}" meant? There` : 'there'} are: ${kinds.join(', ')}`;
  }
  const { length } = SCENES[name as SceneName].steps;
  const isStep =
    step === undefined || step === 'last' || (/^[1-9]\d*$/.test(step) && Number(step) <= length);
  return isStep
    ? ''
    : `there is no step "${step}" of the scenario "${name}": it has ${length}, and "last" is the last of them`;
}
