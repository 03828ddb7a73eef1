import type { Mark } from '../core/contracts.ts';
import type { NetworkMarks } from './marks.ts';

const TON: Mark = { disc: '#0098ea', lines: 'M6.6 7.6h10.8L12 18zM12 7.6V18' };
const POL: Mark = {
  disc: '#8247e5',
  lines: 'm9 8.2 3 1.7v3.6l-3 1.8-3-1.8V9.9zm3 5.2 3 1.8 3-1.8V9.9l-3-1.7-3 1.7',
};
const BNB: Mark = {
  disc: '#f3ba2f',
  ink: '#15202b',
  shape:
    'm12 5.2 2.7 2.7L12 10.6 9.3 7.9zm0 8.2 2.7 2.7-2.7 2.7-2.7-2.7zm-5.3-2.8L8.1 12l-1.4 1.4L5.3 12zm10.6 0 1.4 1.4-1.4 1.4-1.4-1.4zm-5.3 0 1.4 1.4-1.4 1.4-1.4-1.4z',
};
const LIQUID: Mark = {
  disc: '#1d4f80',
  shape: 'M12 4.8c3.2 3.7 4.9 6.2 4.9 8.6a4.9 4.9 0 0 1-9.8 0c0-2.4 1.7-4.9 4.9-8.6z',
};

/** Our own simplified drawings of the less common coins, which most lists have further down. */
export const RARE_MARKS: Readonly<Record<string, Mark>> = {
  DOGE: { disc: '#a88a1d', lines: 'M9.2 6.2v11.6h2.6a5.8 5.8 0 0 0 0-11.6zM7 12h5' },
  XRP: {
    disc: '#46515c',
    lines:
      'm6.2 6.6 3.2 3.2a3.7 3.7 0 0 0 5.2 0l3.2-3.2M6.2 17.4l3.2-3.2a3.7 3.7 0 0 1 5.2 0l3.2 3.2',
  },
  TON,
  GRAM: TON,
  POL,
  BNB,
  CELO: { disc: '#fcff52', ink: '#15202b', lines: 'M12 6.2a5.8 5.8 0 1 0 .01 0z' },
  'L-BTC': LIQUID,
  NOT: { disc: '#45474f', shape: 'm12 18.4-6.6-11h13.2zm0-3.5 3.2-5.4H8.8z' },
  WSOL: {
    disc: '#ddf6ee',
    ink: '#0d7a5f',
    shape: 'M8.6 7h9.2l-2.2 2.2H6.4zm-2.2 3.9h9.2l2.2 2.2H8.6zm2.2 3.9h9.2L15.6 17H6.4z',
  },
  BONK: {
    disc: '#f58f1b',
    lines: 'M7 8.4 8.8 6l1.7 1.6h3L15.2 6 17 8.4v4.8a5 5 0 0 1-10 0zM10 12v.1m4-.1v.1m-3.2 3h2.4',
  },
  TRUMP: { disc: '#b3202c', lines: 'M6.8 7.4h10.4M12 7.4v10M8.6 13.2h6.8' },
  JAMBO: { disc: '#2b6cb0', lines: 'M10 6.6h5v7.2a3.6 3.6 0 0 1-7 1.2' },
  TUSD: { disc: '#1e5ad7', lines: 'M6.6 7.4h7.8m-3.9 0v7.4a2.4 2.4 0 0 0 2.4 2.4M9 11h8.4' },
  PAX: { disc: '#00744f', lines: 'M9 18V6.4h3.8a3.4 3.4 0 0 1 0 6.8H9M6.8 10h7.4' },
  GUSD: { disc: '#0f7f92', lines: 'M16.6 9a5.4 5.4 0 1 0 .8 3.6H12M12 5v2m0 10v2' },
  DAI: { disc: '#c9821a', lines: 'M8.2 6.6h3.6a5.4 5.4 0 0 1 0 10.8H8.2zM6 10.6h12.2M6 13.4h12.2' },
  SAND: { disc: '#0484c6', lines: 'M15.6 8.4c-1-1.4-6.8-1.6-6.8 1s6.6 1.4 6.6 4.6-6 3.2-7.2 1.2' },
  SHIB: {
    disc: '#c92a12',
    lines: 'm6.4 6.2 3 2.4h5.2l3-2.4v7.2L12 18l-5.6-4.6zM9.6 11.6v.1m4.8-.1v.1M11 15h2',
  },
  BUSD: {
    disc: '#8a6a00',
    shape:
      'm12 5 2.4 2.4-4.8 4.8-2.4-2.4zm3.6 3.6L18 11l-6 6-2.4-2.4zM6 11l2.4 2.4L6 15.8 3.9 13.2z',
  },
  SHFL: {
    disc: '#6d35c9',
    lines: 'M6 8.6h2.6l6.6 6.8H18m-2-2 2 2-2 2M6 15.4h2.6l2-2m2.4-2.6 2.2-2.2H18m-2-2 2 2-2 2',
  },
  cbBTC: {
    disc: '#0052ff',
    lines:
      'M9.2 6.8h3.9a2.5 2.5 0 0 1 0 5H9.2zm0 5h4.5a2.7 2.7 0 0 1 0 5.4H9.2zM10.7 4.8v2m2.4-2v2m-2.4 10.4v2m2.4-2v2',
  },
  USD1: { disc: '#8c6a2f', lines: 'm9.4 8.8 3-2.2v10.8m-4 0h8' },
  WBNB: {
    disc: '#3a4754',
    ink: '#f3ba2f',
    shape:
      'm12 5.2 2.7 2.7L12 10.6 9.3 7.9zm0 8.2 2.7 2.7-2.7 2.7-2.7-2.7zm-5.3-2.8L8.1 12l-1.4 1.4L5.3 12zm10.6 0 1.4 1.4-1.4 1.4-1.4-1.4zm-5.3 0 1.4 1.4-1.4 1.4-1.4-1.4z',
  },
  cUSD: { disc: '#1f8f57', lines: 'M15.6 8.6A4.9 4.9 0 1 0 15.6 15.4M12 5v2m0 10v2' },
};

export const RARE_NETWORKS: NetworkMarks = [
  [/^Polygon/, POL],
  [/^BNB/, BNB],
  [/^Celo/, RARE_MARKS['CELO']!],
  [/^TON/, TON],
  [/^Liquid/, LIQUID],
  [/^Dogecoin/, RARE_MARKS['DOGE']!],
  [/^XRP/, RARE_MARKS['XRP']!],
];
