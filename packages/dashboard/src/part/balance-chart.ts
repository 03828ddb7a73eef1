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

type Point = WalletBalance['points'][number];

/**
 * The path of a step chart: an amount holds until the next one, the last one until the end. It
 * begins at the first point. Coordinates may be doubles; every figure beside the chart is exact.
 * @returns coordinates in a field of 600 by 120
 */
export function steps(points: readonly Point[], to: string): string {
  const values = points.map(({ amount }) => Number(amount));
  const top = Math.max(...values) || 1;
  const start = Date.parse(points[0]?.at ?? to);
  const length = Date.parse(to) - start || 1;
  const x = (at: string): string => (((Date.parse(at) - start) / length) * WIDTH).toFixed(1);
  const y = (value: number): string =>
    (HEIGHT - MARGIN - (value / top) * (HEIGHT - 2 * MARGIN)).toFixed(1);
  const path = points.map(({ at }, index) =>
    index === 0 ? `M0.0 ${y(values[0]!)}` : `H${x(at)}V${y(values[index]!)}`,
  );
  return path.length === 0 ? '' : `${path.join('')}H${WIDTH}.0`;
}

/** The maximum of exact amounts: compares the number of digits, then the digits. */
export function highest(amounts: readonly string[]): string {
  return amounts.reduce((best, amount) => (Number(amount) > Number(best) ? amount : best), '0');
}

/** A coin's balance over time: a chart if it changed, its summary, and every point as a table. */
export function balanceChart(
  { name, currency, points }: WalletBalance,
  to: string,
): TemplateResult {
  const [first] = points;
  if (first === undefined) return html`<p class="muted">No entry in this time.</p>`;
  const length = Date.parse(to) - Date.parse(first.at);
  const day = (at: string): string => (length > DATED_MS ? DAY : HOUR).format(new Date(at));
  if (points.length === 1)
    return html`<p class="muted">Unchanged since ${HOUR.format(new Date(first.at))}.</p>`;
  const [from, until, top] = [day(first.at), day(to), highest(points.map(({ amount }) => amount))];
  const path = steps(points, to);
  const sentence = `${currency} in ${name}: ${grouped(first.amount)} on ${from}, ${grouped(points.at(-1)!.amount)} on ${until}, ${grouped(top)} at most.`;
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
    <figcaption aria-hidden="true"><span>${from}</span><span>${until}</span></figcaption>
    <details>
      <summary>As a table<span class="hidden">: ${currency} in ${name}</span></summary>
      ${table(
        `${currency} in ${name}`,
        [
          { head: 'Time', cell: ({ at }) => time(at) },
          { head: 'Amount', number: true, cell: ({ amount }) => grouped(amount) },
        ],
        points.toReversed(),
      )}
    </details>
  </figure>`;
}
