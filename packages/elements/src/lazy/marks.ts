/** Marks of coins and networks: decoration, loaded after everything that paying needs. */
import { type TemplateResult, html, nothing, svg } from 'lit';
import type { Mark } from '../core/contracts.ts';

const BTC: Mark = {
  disc: '#f7931a',
  lines:
    'M9.2 6.8h3.9a2.5 2.5 0 0 1 0 5H9.2zm0 5h4.5a2.7 2.7 0 0 1 0 5.4H9.2zM10.7 4.8v2m2.4-2v2m-2.4 10.4v2m2.4-2v2',
};
const ETH: Mark = {
  disc: '#627eea',
  shape: 'M12 3.4 6.9 12 12 15l5.1-3zM6.9 13.4 12 20.6l5.1-7.2-5.1 3z',
};
const USDC =
  'M14.5 9.6c-.2-1.1-1.1-1.7-2.5-1.7s-2.5.8-2.5 2c0 2.9 5.2 1.4 5.2 4.3 0 1.2-1.1 2-2.7 2s-2.6-.7-2.8-1.8M12 6.4v1.5m0 8.3v1.5M8.9 5a7.7 7.7 0 0 0 0 14m6.2-14a7.7 7.7 0 0 1 0 14';
const MARKS: Readonly<Record<string, Mark>> = {
  BTC,
  ETH,
  USDT: {
    disc: '#26a17b',
    lines:
      'M6.8 6.6h10.4M12 6.6v12M12 10c-4 0-6.1.8-6.1 1.8s2.1 1.8 6.1 1.8 6.1-.8 6.1-1.8S16 10 12 10',
  },
  USDC: { disc: '#2775ca', lines: USDC },
  // Bridged: the same drawing in reverse colours.
  'USDC.e': { disc: '#dce9f8', ink: '#1c5fa8', lines: USDC },
  LTC: { disc: '#345d9d', lines: 'M11.4 5.4 8.7 18h7.9M7.4 13.8l6.4-2.5' },
  SOL: {
    disc: '#3a3350',
    ink: '#3ddbb0',
    shape: 'M8.6 7h9.2l-2.2 2.2H6.4zm-2.2 3.9h9.2l2.2 2.2H8.6zm2.2 3.9h9.2L15.6 17H6.4z',
  },
  TRX: {
    disc: '#d8102f',
    lines: 'm5.6 6.4 8.6 1.8 4.2 4.2L11 19.6zm0 0 6 6.2m0 0 6.8-.2m-6.8.2-.6 7m.6-7 2.6-4.4',
  },
};

/** A mark for each network whose name begins so. */
export type NetworkMarks = readonly (readonly [name: RegExp, mark: Mark])[];

let rare: Readonly<Record<string, Mark>> = {};
let rareNetworks: NetworkMarks = [];

/** Loads the marks of the less common coins and networks. */
export async function loadRareMarks(): Promise<void> {
  const { RARE_MARKS, RARE_NETWORKS } = await import('./rare-marks.ts');
  rare = RARE_MARKS;
  rareNetworks = RARE_NETWORKS;
}

const NETWORKS: NetworkMarks = [
  [/^Bitcoin/, BTC],
  [/^Lightning/, { disc: '#f7931a', shape: 'M13.4 3.8 6.4 13.4h4.4l-1 6.8 7.4-10h-4.6z' }],
  [/^Ethereum/, ETH],
  [
    /^Base/,
    { disc: '#0052ff', lines: 'M6.2 12h7M12 6.2a5.8 5.8 0 1 1-5.6 7.3m0-3A5.8 5.8 0 0 1 12 6.2' },
  ],
  [/^Arbitrum/, { disc: '#1b4add', lines: 'm7.4 17.4 3.8-10.6h1.6l3.8 10.6m-7.5-3.6h5.8' }],
  [/^TRON/, MARKS['TRX']!],
  [/^Solana/, MARKS['SOL']!],
  [/^Litecoin/, MARKS['LTC']!],
];

const drawing = ({ disc, ink = '#fff', lines, shape }: Mark): TemplateResult =>
  svg`<circle cx="12" cy="12" r="12" fill=${disc} /><path
    d=${lines ?? shape!}
    fill=${lines ? 'none' : ink}
    stroke=${lines ? ink : 'none'}
    stroke-width="1.7"
    stroke-linecap="round"
    stroke-linejoin="round"
  />`;

const networkMark = (network: string): Mark | undefined =>
  [...NETWORKS, ...rareNetworks].find(([name]) => name.test(network))?.[1];

/** Draws a mark by itself. */
export const drawMark = (mark: Mark): TemplateResult =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true">${drawing(mark)}</svg>`;

/** Draws a network's mark; nothing for one without, which may be a less common one. */
export function drawNetwork(network: string): TemplateResult | typeof nothing {
  const mark = networkMark(network);
  return mark ? drawMark(mark) : nothing;
}

/**
 * Draws a coin's mark, with its network as a badge where the coin is on several.
 * @returns null for a coin without a mark
 */
export function drawCoin(symbol: string, network: string | null): TemplateResult | null {
  const name = symbol === 'L-USDT' ? 'USDT' : symbol;
  const mark = MARKS[name] ?? rare[name];
  const badge = network === null ? undefined : networkMark(network);
  if (!mark) return null;
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">
    ${drawing(mark)}${
      badge && badge !== mark
        ? svg`<g transform="translate(13.5 13.5) scale(.46)"><circle cx="12" cy="12" r="14.5" class="rim" />${drawing(badge)}</g>`
        : nothing
    }
  </svg>`;
}
