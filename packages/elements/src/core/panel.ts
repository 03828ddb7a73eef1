import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { TemplateResult, nothing } from 'lit';

/** Everything that drawing a stage needs besides the checkout. */
export interface Panel {
  host: Element;
  checkout: Checkout;
  language: string;
  /** The checkout's own address: the target of forms where no script runs. */
  url: string;
  /** The hosted page of this checkout. */
  page: string;
  /** `mode="redirect"`: only a link to the hosted page is drawn. */
  redirect: boolean;
  show: Show;
  /** The price is about to end: offer more time. */
  moreTime: boolean | undefined;
  busy: boolean | undefined;
  onLeave(event: Event): void;
}

/** One payment detail; it is left out without a value. */
export type Fact = readonly [label: string, value: unknown];

/** The part of a checkout on the screen: its stage, all coins, the receipt, or a refund. */
export type Show = 'stage' | 'coins' | 'receipt' | 'refund';
export type Drawn = TemplateResult | typeof nothing;

/** Severity of a note; `wait` is neutral. */
export type Tone = 'warn' | 'bad' | 'wait' | 'good';

/** Heading and sentence of a stage. */
export interface StageTexts {
  title: string;
  /** The next thing to do. */
  text: string;
  tone?: 'good' | 'warn' | 'bad';
  /** Icon path, for stages that show nothing else. */
  picture?: string;
}
