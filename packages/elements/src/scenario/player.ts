import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { failure } from '../server/checkout-server.ts';
import type { SourceListener, CheckoutSource } from '../server/source.ts';
import { type ScenarioChoice, scenarioError, parseScenario } from './list.ts';
import { CHOOSE, PAY } from './paying.ts';
import type { Step } from './scene.ts';
import { viewOf } from './view.ts';

/** Fake time starts here, so that each run draws the same. */
const BEGIN = Date.parse('2026-11-21T12:00:00Z');
/** How long a price holds, for a wallet and for an exchange. */
const HOLDS_S = { wallet: 900, exchange: 3600 };
const STEP_S = 4;
/** Delay between a payment and its detection. */
const SEEN_AFTER_S = 15;

/** Advances every player of a page: to the step in `detail` (from 1), or to the next one. */
export const STEP_EVENT = 'crypto-checkout-demo';

/**
 * A scenario in place of the checkout server: it plays stages and failures in fake time and answers
 * the buyer's requests.
 * @param demo the attribute: `name`, `name#2` to hold a step, `name:XRP` for another kind
 */
export function createPlayer(demo: string): CheckoutSource {
  const cue = parseScenario(demo);
  if (cue) return new Player(cue);
  return new UnknownScenario(scenarioError(demo));
}

class Player implements CheckoutSource {
  #choice: ScenarioChoice;
  #at: number;
  /** The step that a choice of the buyer led to, in place of the scene's step. */
  #detour: Step | null = null;
  #kind: string;
  #from: 'wallet' | 'exchange';
  #withLightning: boolean;
  /** Start of the price and its duration, in seconds of fake time. */
  #quotedAt = 0;
  #holds: number;
  #extended = false;
  #version = 0;
  /** The step changed after the last view was emitted. */
  #moved = false;
  #lost = false;
  #listener: SourceListener | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Start of the step on the device's clock. */
  #beganAt = 0;
  /** Delay in seconds caused by a buyer who took longer than the scene. */
  #shift = 0;
  /** Pending requests of a slow step. */
  #waiting: (() => void)[] = [];

  constructor(cue: ScenarioChoice) {
    this.#choice = cue;
    this.#at = cue.step ?? 0;
    this.#kind = cue.kind ?? cue.scene.kind ?? 'BTC';
    this.#from = cue.scene.from ?? 'wallet';
    this.#withLightning = cue.scene.withLightning ?? false;
    this.#holds = HOLDS_S[this.#from];
    // A held step behind a renewal shows the renewed price.
    for (const [index, { until }] of cue.scene.steps.entries())
      if (until === 'renew' && index < this.#at) this.#quotedAt = this.#clockOf(index + 1);
    this.#beganAt = performance.now();
  }

  async open(): Promise<Checkout> {
    addEventListener(STEP_EVENT, this.#onStep);
    const { fault } = this.#step;
    if (fault === 'slow') {
      this.#schedule();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else if (fault && fault !== 'offline') {
      // The element retries by itself: each answer is a step.
      if (this.#plays) this.#goTo(this.#at + 1);
      throw failure(fault, `the scenario "${this.#choice.name}" answers so`);
    }
    return this.#view();
  }

  async post(what: 'payment' | 'renew', body: object): Promise<Checkout> {
    const { until, refuses } = this.#step;
    if (refuses) throw failure(refuses, `the scenario "${this.#choice.name}" answers so`);
    const asked = body as Partial<Record<'kind' | 'from' | 'with_lightning' | 'extend', unknown>>;
    const now = this.#now;
    if (what === 'payment') {
      if (typeof asked.kind === 'string') this.#kind = asked.kind;
      this.#from = asked.from === 'exchange' ? 'exchange' : 'wallet';
      this.#withLightning = asked.with_lightning === true;
      this.#quote(now);
    } else if (asked.extend) {
      this.#extended = true;
      this.#holds += HOLDS_S[this.#from];
    } else this.#quote(now);
    if (until === what && this.#plays && this.#at + 1 < this.#choice.scene.steps.length) {
      this.#goTo(this.#at + 1);
      this.#shift += Math.max(0, now - this.#now);
      this.#quote(this.#now);
      this.#schedule();
    } else if (['choose', 'expired'].includes(this.#step.stage))
      this.#detour = { ...PAY, at: now, notes: this.#step.notes ?? [] };
    return this.#view();
  }

  follow(on: SourceListener): void {
    if (this.#listener) return;
    this.#listener = on;
    addEventListener(STEP_EVENT, this.#onStep);
    this.#emitConnection();
    if (this.#moved) this.#emit();
    this.#schedule();
  }

  refresh(): void {
    if (!this.#lost) this.#emit();
  }

  stop(): void {
    this.#listener = undefined;
    clearTimeout(this.#timer);
    removeEventListener(STEP_EVENT, this.#onStep);
  }

  get #step(): Step {
    return this.#detour ?? this.#choice.scene.steps[this.#at] ?? CHOOSE;
  }

  get #plays(): boolean {
    return this.#choice.step === null;
  }

  /** Seconds since the checkout was opened. Time stops while a step is held. */
  get #now(): number {
    const passed = this.#plays ? (performance.now() - this.#beganAt) / 1000 : 0;
    return (this.#detour?.at ?? this.#clockOf(this.#at) + this.#shift) + Math.floor(passed);
  }

  /** The server's clock at the start of a step. */
  #clockOf(step: number): number {
    return this.#choice.scene.steps
      .slice(0, step + 1)
      .reduce((clock, { at }) => at ?? clock + 20, 0);
  }

  /** Arrival times: shortly before the first step that shows the payment. */
  get #cameAt(): number[] {
    const steps = this.#choice.scene.steps.slice(0, this.#at + 1);
    return (this.#step.arrivals ?? []).map((_, nth) => {
      const first = steps.findIndex(({ arrivals = [] }) => arrivals.length > nth);
      const since = (steps[first]?.arrivals?.length ?? 0) - nth;
      return BEGIN + (this.#clockOf(first) + this.#shift - SEEN_AFTER_S * since) * 1000;
    });
  }

  #quote(now: number): void {
    this.#quotedAt = now;
    this.#holds = HOLDS_S[this.#from];
    this.#extended = false;
  }

  #goTo(step: number): void {
    const { steps } = this.#choice.scene;
    this.#at = Math.min(Math.max(step, 0), steps.length - 1);
    this.#detour = null;
    this.#moved = true;
    this.#beganAt = performance.now();
    if (this.#step.fault !== 'slow') for (const go of this.#waiting.splice(0)) go();
  }

  #onStep = (event: Event): void => {
    const { detail } = event as CustomEvent<number | null>;
    this.#choice = { ...this.#choice, step: 0 };
    clearTimeout(this.#timer);
    this.#goTo(detail ? detail - 1 : this.#at + 1);
    this.#emitConnection();
    this.#emit();
  };

  #schedule(): void {
    clearTimeout(this.#timer);
    const { until = STEP_S } = this.#step;
    if (
      !this.#plays ||
      this.#detour ||
      typeof until === 'string' ||
      this.#at + 1 >= this.#choice.scene.steps.length
    )
      return;
    this.#timer = setTimeout(() => {
      this.#goTo(this.#at + 1);
      this.#emitConnection();
      this.#emit();
      this.#schedule();
    }, until * 1000);
  }

  #emitConnection(): void {
    const lost = this.#step.fault === 'offline';
    if (lost !== this.#lost) this.#listener?.connection(lost);
    this.#lost = lost;
  }

  #emit(): void {
    if (!this.#lost) this.#listener?.checkout(this.#view());
  }

  /** The current answer of the server. */
  #view(): Checkout {
    this.#version += 1;
    this.#moved = false;
    return viewOf({
      scene: this.#choice.scene,
      step: this.#step,
      kind: this.#kind,
      from: this.#from,
      withLightning: this.#withLightning,
      now: BEGIN + this.#now * 1000,
      endsAt: BEGIN + (this.#quotedAt + this.#holds) * 1000,
      quotedAt: BEGIN + this.#quotedAt * 1000,
      extended: this.#extended,
      receivedAt: this.#cameAt,
      version: this.#version,
    });
  }
}

/** A source that fails: the scenario's name is wrong. */
class UnknownScenario implements CheckoutSource {
  #message: string;
  constructor(message: string) {
    this.#message = message;
  }
  open(): Promise<Checkout> {
    return Promise.reject(failure('setup', this.#message));
  }
  post(): Promise<Checkout> {
    return this.open();
  }
  follow(): void {}
  refresh(): void {}
  stop(): void {}
}
