import { nothing } from 'lit';
import type { Drawn, Panel } from './panel.ts';

/** Ways to hand the payment to a wallet, or to somebody else. */
export const drawHandOff = (_panel: Panel): Drawn => nothing;

/** Looks out for programs that change what is shown. @returns its end */
export const watchOver = (_host: Element): (() => void) => () => {};
