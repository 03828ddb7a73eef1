import { type TemplateResult, html, nothing } from 'lit';
import { type ViewName, pathTo } from '../route.ts';

const MINUTE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const SECOND = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** A local time, with the exact UTC time as its title. */
export function time(at: string | null, exact = false): TemplateResult | string {
  if (at === null) return '–';
  return html`<time datetime=${at} title=${at}
    >${(exact ? SECOND : MINUTE).format(new Date(at))}</time
  >`;
}

/** The next run; a due one has no time. */
export const nextTry = (at: string, now: number): TemplateResult | string =>
  Date.parse(at) > now ? time(at, true) : 'due now';

/** Groups the integer part and keeps every decimal: `1234567.5` becomes `1,234,567.5`. */
export function grouped(amount: string): string {
  const [whole = '', decimals] = amount.split('.');
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (decimals === undefined ? '' : `.${decimals}`);
}

export function money(amount: string, currency: string): TemplateResult {
  return html`<span class="money"
    >${grouped(amount)} <span class="currency">${currency}</span></span
  >`;
}

/** `awaiting_funds` becomes `awaiting funds`. */
export const words = (name: string): string => name.replaceAll('_', ' ');

const TONES: Readonly<Record<string, string>> = {
  complete: 'good',
  delivered: 'good',
  confirmed: 'good',
  paid: 'good',
  no_risk: 'good',
  low: 'good',
  on: 'good',
  pending: 'wait',
  draft: 'wait',
  unconfirmed: 'wait',
  awaiting_funds: 'wait',
  awaiting_policies: 'wait',
  medium: 'wait',
  late: 'wait',
  wrong_coin: 'wait',
  requested: 'wait',
  failed: 'bad',
  held: 'bad',
  quarantined: 'bad',
  rejected: 'bad',
  replaced: 'bad',
  high: 'bad',
  critical: 'bad',
};

/** A status badge; its colour adds nothing to the word. */
export const badge = (status: string): TemplateResult =>
  html`<span class="badge" data-tone=${TONES[status] ?? 'calm'}>${words(status)}</span>`;

/** A link with the beginning of an id. */
export const link = (view: ViewName, id: string, text = id.slice(0, 8)): TemplateResult =>
  html`<a href=${pathTo(view, id)} title=${id}>${text}</a>`;

/** The shop's order, which leads to its invoice; a dash for none. */
export const orderLink = (order: string | null, invoiceId: string): TemplateResult | string =>
  order ? html`<a class="untrusted" href=${pathTo('invoices', invoiceId)}>${order}</a>` : '–';

/** A full address, id or hash that wraps at the line's end; a URL after one of its parts. */
export const code = (text: string | null): TemplateResult | string =>
  text
    ? html`<code
        >${partsOf(text).map((part, at) => (at === 0 ? part : html`<wbr />${part}`))}</code
      >`
    : '–';

/** Both ends of an address: enough to recognize it, never enough to verify it. */
export const shortened = (text: string): string =>
  text.length > 20 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text;

/** `https://shop.example/` and `hook?` and `a=1`; any other text is one part. */
export const partsOf = (text: string): string[] =>
  /^https?:\/\//.test(text) ? text.split(/(?<=[^:/][/?&])(?=.)/) : [text];

/** Third-party text, unchanged and never as markup. */
export const untrusted = (text: string | null): TemplateResult | string =>
  text ? html`<span class="untrusted">${text}</span>` : '–';

/**
 * The sentence of an alarm without its advice where to send coins, which is shown with a button.
 */
export const withoutAdvice = (reason: string): string =>
  reason.replace(/[.;] send [\w-]+ to .*$/i, '.');

/** A definition list; entries without a value are left out. */
export function facts(entries: readonly (readonly [string, unknown] | null)[]): TemplateResult {
  return html`<dl class="facts">
    ${entries.map((entry) =>
      entry === null
        ? nothing
        : html`<div>
            <dt>${entry[0]}</dt>
            <dd>${entry[1]}</dd>
          </div>`,
    )}
  </dl>`;
}

/** A duration. */
export const duration = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;

/** An interval after "every": `5 minutes`, `hour`, `2 hours`. */
export const span = (minutes: number): string =>
  minutes === 60 ? 'hour' : minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;

/** `1 callback`, `2 callbacks`. */
export const count = (number: number, one: string): string =>
  `${number} ${one}${number === 1 ? '' : 's'}`;
