import type {
  Checkout,
  CheckoutCoin,
  CheckoutPayment,
  CheckoutReceived,
} from '@crypto-checkout/protocol/checkout';
import type { LitElement, ReactiveControllerHost, TemplateResult, nothing } from 'lit';
import type { CheckoutErrorCode } from '../events/checkout-events.ts';
import type { CheckoutLocation } from '../server/checkout-server.ts';
import type { Drawn, Fact, Panel, Show, StageTexts } from './panel.ts';

// Interfaces between the elements and the modules that they load lazily. Both sides import these
// types instead of each other, which would be an import cycle.

/** An element of this package, as far as announcements need it. */
export interface SpeakingElement extends HTMLElement {
  readonly language: string;
  readonly renderRoot: HTMLElement | DocumentFragment;
  say(text: (status: StatusModule) => string): void;
}

/** `<crypto-checkout>` as its lazy modules see it. */
export interface CheckoutHost extends SpeakingElement, ReactiveControllerHost {
  server: string | null | undefined;
  order: string | null | undefined;
  checkoutId: string | null | undefined;
  invoice: string | null | undefined;
  kind: string | null | undefined;
  proofKey: string | null | undefined;
  locale: string | null | undefined;
  successUrl: string | null | undefined;
  mode: 'inline' | 'redirect' | 'frame' | undefined;
  show: Show | null | undefined;
  theme: 'auto' | 'light' | 'dark' | null | undefined;
  demo: string | null | undefined;
  header: string | null | undefined;
  redirectAfter: string | null | undefined;
  /** Opens the checkout in place of the attributes. Called again after each failure. @internal */
  opening: (() => Promise<CheckoutLocation>) | undefined;
  get checkout(): Checkout | null;
  refresh(): void;
}

/** Callbacks the controller needs from its host. */
export interface ControllerHost {
  location(): CheckoutLocation;
  onCheckout(checkout: Checkout): void;
  /** @param otherCoin - A payment in one coin was refused, and the shop takes others. */
  onError(code: CheckoutErrorCode, message: string, otherCoin?: boolean): void;
  /** Asks the page whether the buyer may return to the shop now. */
  onLeave(): boolean;
}

/** Problems beside the stage. */
export interface Problems {
  /** Time of the connection loss on the server's clock; 0 while connected. */
  lostAt: number;
  /** Error of the buyer's last request. */
  refused: CheckoutErrorCode | null;
  language: string;
  /** End of the price; 0 if nothing is due or the price has ended. */
  until: number;
  /** A payment in one coin was refused, and the shop takes others. */
  otherCoin: boolean;
  /** The list of coins; empty while it is on the screen. */
  coinsLink: string;
}

/** The checkout controller, as its host uses it. */
export interface Controller {
  /** The price ends soon. */
  readonly ending: boolean;
  /** A request of the buyer is pending. */
  readonly busy: boolean;
  readonly refused: CheckoutErrorCode | null;
  /** Processes a new view: dispatches its events, announces its changes, and follows it. */
  attend(next: Checkout): void;
  open(): Promise<Checkout>;
  refresh(): void;
  stop(): void;
  /** Stops, and drops its source: the attributes select another checkout. */
  forget(): void;
  submit(form: HTMLFormElement, button: HTMLElement | null): void;
  drawProblems(): Drawn;
}

export interface ControllerModule {
  CheckoutController: new (host: CheckoutHost, callbacks: ControllerHost) => Controller;
}

/** Our own simplified drawing on a 24-unit grid: colour of the disc, lines, or a filled shape. */
export interface Mark {
  disc: string;
  /** Colour of the drawing. Default: white. */
  ink?: string;
  lines?: string;
  shape?: string;
}

/** Drawings of coins, networks and wallets. */
export interface MarksModule {
  drawMark(mark: Mark): TemplateResult;
  /** Null for a coin without a mark; it may be a less common one. */
  drawCoin(symbol: string, network: string | null): TemplateResult | null;
  loadRareMarks(): Promise<void>;
  drawNetwork(network: string): TemplateResult | typeof nothing;
}

export interface FrameModule {
  drawFrame(
    host: CheckoutHost,
    callbacks: Pick<ControllerHost, 'onCheckout' | 'onError' | 'onLeave'>,
  ): TemplateResult;
}

/** The parts that differ for a payment from an exchange. */
export interface ExchangeModule {
  drawHolds(payment: CheckoutPayment, language: string): Drawn;
  drawRecipient(checkout: Checkout, language: string): Drawn;
  drawWarning(panel: Panel): Drawn;
  exchangeFee(payment: CheckoutPayment, language: string): string;
  exchangeNetwork(network: string): string;
}

export interface ReceiptModule {
  drawReceipt(panel: Panel, payment: CheckoutPayment): TemplateResult;
}

export interface RefundModule {
  drawRefunds(panel: Panel): Drawn;
  refundRows(panel: Panel): Fact[][];
  drawRefundForm(panel: Panel): Drawn | undefined;
}

export interface PickerModule {
  drawPicker(panel: Panel): Drawn;
  chooseTexts(): StageTexts;
}

/** Feedback on the last copy; written by the module that gives it. */
export interface Copied {
  /** The field's value. */
  value: string;
  /** Temporary label of the button. */
  text: string;
  /** Draws the feedback below the fields. */
  draw?(): TemplateResult | typeof nothing;
}

export interface HandOffModule {
  drawHandOff(panel: Panel): Drawn;
  drawPlainAddress(
    draw: (label: string, hint: string) => TemplateResult,
    open: boolean,
  ): TemplateResult;
  showCopyFeedback(
    element: SpeakingElement & ReactiveControllerHost,
    label: string,
    done: boolean,
    copied: Copied,
    isLast: () => boolean,
  ): Promise<void>;
  startWatching(host: CheckoutHost): () => void;
}

/** The members of `<crypto-qr>` that the encoder reads and writes. */
export type QrTarget = HTMLElement & {
  value: string | undefined;
  path: string;
  made: string | undefined;
};

/** The top of a stage. */
export interface Head {
  /** The stage, or the note whose heading replaces the stage's. */
  stage: string;
  heading: string;
  text: string;
  /** Paying is not the next step: the payment details are folded. */
  folded: boolean;
  /** The trouble is over: it is drawn below the payment. */
  past: boolean;
}

/** Advice for developers in the console. Buyers never need it. */
export interface AdviceModule {
  warnIfEmpty(host: CheckoutHost): void;
  checkNames(element: HTMLElement, known: readonly string[]): void;
  checkAttributes(host: CheckoutHost, checkout?: Checkout): void;
  explainError(code: CheckoutErrorCode, message: string, host: CheckoutHost): string;
}

/** Keeps a shop's own colours readable. */
export interface ThemeModule {
  keepReadable(host: HTMLElement): void;
}

/** The search among the coins. */
export interface SearchModule {
  matchesSearch(coin: CheckoutCoin, wanted: string): boolean;
  ranked(coins: readonly CheckoutCoin[], wanted: string): readonly CheckoutCoin[];
  keepChoice(picker: LitElement): Promise<void>;
  missText(wanted: string): string;
  drawMiss(wanted: string): TemplateResult;
}

/** Everything drawn or announced after the payment was chosen. */
export interface StatusModule {
  announce(host: CheckoutHost, before: Checkout, next: Checkout): Promise<void>;
  connectionText(lostAt: number, language: string, until?: number): string;
  copied(label: string, value: string): string;
  errorText(code: CheckoutErrorCode, otherCoin?: boolean): string;
  speakIn(element: SpeakingElement, text: () => string): Promise<void>;
  timeLeft(before: number, seconds: number, language: string): string;
  liveRegionOf(root: DocumentFragment | HTMLElement): HTMLElement;
  timeLeftText(seconds: number, language: string): string;

  amountLabel(panel: Pick<Panel, 'checkout' | 'language'>): string;
  qrLabel(payment: CheckoutPayment, language: string): string;
  confirmationsNeeded(checkout: Checkout): number | undefined;
  statusTexts(stage: string): StageTexts | undefined;
  /** Loads the texts of an unusual stage; undefined when nothing is missing. */
  loadStage(stage: string): Promise<unknown> | undefined;
  /** Loads what an unusual checkout is drawn with; undefined when nothing is missing. */
  loadTroubleOf(checkout: Checkout): Promise<unknown> | undefined;
  troubleIn(checkout: Checkout): TroubleModule | undefined;

  drawCloseLink(page: string, text?: string): TemplateResult;
  drawConfirmations(have: number, need: number): TemplateResult;
  drawContact(panel: Panel): Drawn;
  drawMoreTimeForm(panel: Panel): Drawn;
  drawPaymentOptions(panel: Panel): TemplateResult;
  drawFailure(
    code: CheckoutErrorCode,
    onRetry: () => void,
    contact?: string | null,
  ): TemplateResult;
  drawInstead(panel: Panel): TemplateResult | undefined;
  /** @param lists - With the received payments. */
  drawProgress(panel: Panel, lists: boolean | null | undefined): TemplateResult;
  /** @param asks - The payment details are on the screen. */
  drawNextSteps(panel: Panel, asks: boolean | null | undefined): TemplateResult;
  drawProblems(problems: Problems): TemplateResult;
  drawShopLink(checkout: Checkout, onLeave: (event: Event) => void): TemplateResult;

  /** Adds the style sheet for everything that this module draws. */
  addStatusStyles(element: Element): void;
  encodeQrFor(element: QrTarget, text: string): Promise<void>;
  startReturn(host: CheckoutHost, close: () => boolean): void;
}

/** All that choosing, paying and waiting need, as one object. */
export interface PayingModule
  extends ControllerModule, HandOffModule, MarksModule, PickerModule, StatusModule {}

/** Everything drawn or announced beside a payment in full and in time. */
export interface TroubleModule {
  headOf(checkout: Checkout, choosing: boolean, language: string): Head;
  lateNote(checkout: Checkout, language: string): string | null;
  lateWarning(checkout: Checkout, language: string): string;
  leftText(checkout: Checkout, language: string): string;
  needsShopFirst(checkout: Checkout): boolean;
  newlyGone(now: Checkout, next: Checkout, language: string): string[];
  noteText(note: string, checkout: Checkout, language: string): string | null;
  otherAddressText(payment: CheckoutPayment): string;
  paymentMark(payment: CheckoutReceived, checkout: Checkout, language: string): string | null;
  receiptMark(payment: CheckoutReceived, checkout: Checkout, language: string): string;
  receivedSum(checkout: Checkout, language: string): string;
  rowMark(payment: CheckoutReceived, checkout: Checkout, language: string): string | null;
  shownStage(checkout: Checkout): string;
  stageSentence(checkout: Checkout, language: string): string;
  exchangeWarning(checkout: Checkout, language: string): string;
  troubleTexts(stage: string): StageTexts | undefined;
  troubleTitle(checkout: Checkout, language: string): string;

  drawAgain(panel: Panel, details: Drawn, steps: TemplateResult): TemplateResult;
  drawCheckLink(panel: Panel): Drawn;
  drawNotes(panel: Panel): TemplateResult;
  drawOtherAddress(payment: CheckoutPayment): Drawn;
  drawRecipientHint(checkout: Checkout): Drawn;
  drawRenewForm(panel: Panel): Drawn;
}
