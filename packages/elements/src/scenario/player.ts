import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { failure } from '../server.ts';
import type { Follower, Source } from '../source.ts';
import { type Cue, mistakeIn, readCue } from './list.ts';
import { CHOOSE, PAY } from './paying.ts';
import type { Step } from './scene.ts';
import { viewOf } from './view.ts';

/** Fake time begins here, whatever the device's clock says: what is drawn is the same each time. */
const BEGIN = Date.parse('2026-11-21T12:00:00Z');
/** How long a price holds: for a wallet, and for an exchange. */
const HOLDS_S = { wallet: 900, exchange: 3600 };
const STEP_S = 4;
/** How long after a payment was sent the server sees it. */
const SEEN_AFTER_S = 15;

/** Tells every player of a page to go on: to the step in `detail` (from 1), or without one to the next. */
export const STEP_EVENT = 'crypto-checkout-demo';

/**
 * A scenario in place of the checkout server: it plays stages and faults in fake time and answers what the buyer asks for.
 * @param demo the attribute: `name`, `name#2` to stand still at a step, `name:XRP` for another kind
 */
export function createPlayer(demo: string): Source {
  const cue = readCue(demo);
  if (cue) return new Player(cue);
  return new Nobody(mistakeIn(demo));
}

class Player implements Source {
  #cue: Cue;
  #at: number;
  /** What the buyer's own choice has led to, instead of the scene's step. */
  #detour: Step | null = null;
  #kind: string;
  #from: 'wallet' | 'exchange';
  /** When the price began to hold, and for how long, in seconds of fake time. */
  #quotedAt = 0;
  #holds: number;
  #extended = false;
  #version = 0;
  /** What was told last is no longer so. */
  #moved = false;
  #lost = false;
  #on: Follower | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The step's beginning on the device's clock. */
  #beganAt = 0;
  /** Seconds by which a buyer who took longer than the scene has moved what follows. */
  #shift = 0;
  /** Who waits for the server of a slow step. */
  #waiting: (() => void)[] = [];

  constructor(cue: Cue) {
    this.#cue = cue;
    this.#at = cue.step ?? 0;
    this.#kind = cue.kind ?? cue.scene.kind ?? 'BTC';
    this.#from = cue.scene.from ?? 'wallet';
    this.#holds = HOLDS_S[this.#from];
    // Standing still behind a step that renews the price, the new one holds.
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
      // The element asks again by itself: each answer is a step.
      if (this.#plays) this.#goTo(this.#at + 1);
      throw failure(fault, `the scenario "${this.#cue.name}" answers so`);
    }
    return this.#view();
  }

  async post(what: 'payment' | 'renew', body: object): Promise<Checkout> {
    const { until, refuses } = this.#step;
    if (refuses) throw failure(refuses, `the scenario "${this.#cue.name}" answers so`);
    const asked = body as { kind?: unknown; from?: unknown; extend?: unknown };
    const now = this.#now;
    if (what === 'payment') {
      if (typeof asked.kind === 'string') this.#kind = asked.kind;
      this.#from = asked.from === 'exchange' ? 'exchange' : 'wallet';
      this.#quote(now);
    } else if (asked.extend) {
      this.#extended = true;
      this.#holds += HOLDS_S[this.#from];
    } else this.#quote(now);
    if (until === what && this.#plays && this.#at + 1 < this.#cue.scene.steps.length) {
      this.#goTo(this.#at + 1);
      this.#shift += Math.max(0, now - this.#now);
      this.#quote(this.#now);
      this.#schedule();
    } else if (['choose', 'expired'].includes(this.#step.stage)) this.#detour = { ...PAY, at: now, notes: this.#step.notes ?? [] };
    return this.#view();
  }

  follow(on: Follower): void {
    if (this.#on) return;
    this.#on = on;
    addEventListener(STEP_EVENT, this.#onStep);
    this.#tellConnection();
    if (this.#moved) this.#tell();
    this.#schedule();
  }

  refresh(): void {
    if (!this.#lost) this.#tell();
  }

  stop(): void {
    this.#on = undefined;
    clearTimeout(this.#timer);
    removeEventListener(STEP_EVENT, this.#onStep);
  }

  get #step(): Step {
    return this.#detour ?? this.#cue.scene.steps[this.#at] ?? CHOOSE;
  }

  get #plays(): boolean {
    return this.#cue.step === null;
  }

  /** Seconds since the checkout was opened. Time stands still where the scene does. */
  get #now(): number {
    const passed = this.#plays ? (performance.now() - this.#beganAt) / 1000 : 0;
    return (this.#detour?.at ?? this.#clockOf(this.#at) + this.#shift) + Math.floor(passed);
  }

  /** The server's clock at the beginning of a step. */
  #clockOf(step: number): number {
    return this.#cue.scene.steps.slice(0, step + 1).reduce((clock, { at }) => at ?? clock + 20, 0);
  }

  /** When each payment of the step came: shortly before the first step that shows it. */
  get #cameAt(): number[] {
    const steps = this.#cue.scene.steps.slice(0, this.#at + 1);
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
    const { steps } = this.#cue.scene;
    this.#at = Math.min(Math.max(step, 0), steps.length - 1);
    this.#detour = null;
    this.#moved = true;
    this.#beganAt = performance.now();
    if (this.#step.fault !== 'slow') for (const go of this.#waiting.splice(0)) go();
  }

  #onStep = (event: Event): void => {
    const { detail } = event as CustomEvent<number | null>;
    this.#cue = { ...this.#cue, step: 0 };
    clearTimeout(this.#timer);
    this.#goTo(detail ? detail - 1 : this.#at + 1);
    this.#tellConnection();
    this.#tell();
  };

  #schedule(): void {
    clearTimeout(this.#timer);
    const { until = STEP_S } = this.#step;
    if (!this.#plays || this.#detour || typeof until === 'string' || this.#at + 1 >= this.#cue.scene.steps.length) return;
    this.#timer = setTimeout(() => {
      this.#goTo(this.#at + 1);
      this.#tellConnection();
      this.#tell();
      this.#schedule();
    }, until * 1000);
  }

  #tellConnection(): void {
    const lost = this.#step.fault === 'offline';
    if (lost !== this.#lost) this.#on?.connection(lost);
    this.#lost = lost;
  }

  #tell(): void {
    if (!this.#lost) this.#on?.checkout(this.#view());
  }

  /** What the server would answer now. */
  #view(): Checkout {
    this.#version += 1;
    this.#moved = false;
    return viewOf({
      scene: this.#cue.scene,
      step: this.#step,
      kind: this.#kind,
      from: this.#from,
      now: BEGIN + this.#now * 1000,
      endsAt: BEGIN + (this.#quotedAt + this.#holds) * 1000,
      extended: this.#extended,
      cameAt: this.#cameAt,
      version: this.#version,
    });
  }
}

/** Where the scenario's name is wrong. */
class Nobody implements Source {
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
