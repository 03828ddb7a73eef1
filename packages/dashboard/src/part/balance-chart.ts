import { type TemplateResult, html } from 'lit';
import type { WalletBalance } from '@crypto-checkout/protocol/dashboard';
import { table } from './table.ts';
import { grouped, time } from './text.ts';

const WIDTH = 600;
const HEIGHT = 120;
/** Margin, so that a line at the top or bottom is fully visible. */
const MARGIN = 2;

/** A longer chart has dates instead of times. */
const DATED_MS = 7 * 24 * 60 * 60 * 1000;
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const HOUR = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/**
 * The path of a step chart: an amount holds until the next one. Coordinates may be doubles; every
 * figure beside the chart is exact.
 * @returns coordinates in a field of 600 by 120
 */
export function steps(amounts: readonly string[]): string {
  const values = amounts.map(Number);
  const top = Math.max(...values) || 1;
  const x = (index: number): string =>
    ((index / Math.max(1, values.length - 1)) * WIDTH).toFixed(1);
  const y = (value: number): string =>
    (HEIGHT - MARGIN - (value / top) * (HEIGHT - 2 * MARGIN)).toFixed(1);
  return values
    .map((value, index) => (index === 0 ? `M0.0 ${y(value)}` : `H${x(index)}V${y(value)}`))
    .join('');
}

/** The maximum of exact amounts: compares the number of digits, then the digits. */
export function highest(amounts: readonly string[]): string {
  return amounts.reduce((best, amount) => (Number(amount) > Number(best) ? amount : best), '0');
}

/** A coin's balance over time: a chart, its summary, and every point as a table. */
export function balanceChart(wallet: WalletBalance, times: readonly string[]): TemplateResult {
  const { name, currency, amounts } = wallet;
  const length = Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? '');
  const day = (at: string | undefined): string =>
    (length > DATED_MS ? DAY : HOUR).format(new Date(at ?? 0));
  const [from, to, top] = [day(times[0]), day(times.at(-1)), highest(amounts)];
  const path = steps(amounts);
  const sentence = `${currency} in ${name}: ${grouped(amounts[0] ?? '0')} on ${from}, ${grouped(amounts.at(-1) ?? '0')} on ${to}, ${grouped(top)} at most.`;
  return html`<figure class="chart">
    <div class="scale" aria-hidden="true"><span>${grouped(top)}</span><span>0</span></div>
    <svg
      role="img"
      aria-label=${sentence}
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
    >
      <path class="area" d="${path}V${HEIGHT}H0Z"></path>
      <path class="line" d=${path}></path>
    </svg>
    <figcaption aria-hidden="true"><span>${from}</span><span>${to}</span></figcaption>
    <details>
      <summary>As a table<span class="hidden">: ${currency} in ${name}</span></summary>
      ${table(
        `${currency} in ${name}`,
        [
          { head: 'Time', cell: (index) => time(times[index] ?? null) },
          { head: 'Amount', number: true, cell: (index) => grouped(amounts[index] ?? '0') },
        ],
        amounts.map((_, index) => amounts.length - 1 - index),
      )}
    </details>
  </figure>`;
}
