import { liquidAddress } from '@crypto-checkout/chains/liquid/address';

/**
 * The most expensive requests that fit into 32 KiB. Each must be answered, at night within the
 * limit of CPU time.
 */
export interface ExpensiveRequest {
  name: string;
  method: string;
  path: string;
  /** The payload before base64. */
  json(nonce: bigint): string;
}

const BITCOIN = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const LIQUID = liquidAddress(
  'testnet',
  new Uint8Array(33).fill(2),
  new Uint8Array(32).fill(7),
).confidential;

/** Characters that fit into the payload header. */
const MAX_CHARACTERS = 24_000;

const fill = (piece: string, room = MAX_CHARACTERS): string =>
  piece.repeat(Math.floor(room / piece.length));

export function expensiveRequests(profileId: string): ExpensiveRequest[] {
  const list = (members: string) => (nonce: bigint) =>
    `{"request":"/v1/invoices/","nonce":${nonce}${members}}`;
  const invoice = (members: string) =>
    list(`,"profile_id":"${profileId}","currency":"USD","kind":"BTC"${members}`);
  const payout =
    (recipients: string, kind = 'BTC') =>
    (nonce: bigint) =>
      `{"request":"/v1/payouts/","nonce":${nonce},"profile_id":"${profileId}","kind":"${kind}","recipients":[${recipients}]}`;
  const paid = (address: string, amount = '"0.1"', more = '') =>
    `{"amount":${amount},"currency":"BTC","address":"${address}"${more}}`;
  const get = (name: string, json: ExpensiveRequest['json']) => ({
    name,
    method: 'GET',
    path: '/v1/invoices/',
    json,
  });
  const create = (name: string, json: ExpensiveRequest['json']) => ({
    name,
    method: 'POST',
    path: '/v1/invoices/',
    json,
  });
  const pay = (name: string, json: ExpensiveRequest['json']) => ({
    name,
    method: 'POST',
    path: '/v1/payouts/',
    json,
  });
  const times = (count: number, make: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => make(at)).join(',');
  return [
    get(
      'depth of a list',
      list(`,"a":${'['.repeat(MAX_CHARACTERS / 2)}${']'.repeat(MAX_CHARACTERS / 2)}`),
    ),
    get('depth of objects', list(`,"a":${fill('{"a":', MAX_CHARACTERS / 2)}1`)),
    get('many members', list(`,${times(2_400, (at) => `"m${at}":1`)}`)),
    get('a long number', list(`,"a":${'9'.repeat(MAX_CHARACTERS)}`)),
    get('a long fraction', list(`,"a":0.${'1'.repeat(MAX_CHARACTERS)}`)),
    get('a large exponent', list(`,"a":1e${'9'.repeat(1_000)}`)),
    get('escapes', list(`,"a":"${fill('\\u0041')}"`)),
    get('a long filter', list(`,"address":"${'a'.repeat(MAX_CHARACTERS)}"`)),
    get('a long address in bech32', list(`,"address":"tb1${'q'.repeat(MAX_CHARACTERS)}"`)),
    get('a long page', list(`,"p":"${'1'.repeat(MAX_CHARACTERS)}"`)),
    create('a long amount', invoice(`,"amount":"${'1'.repeat(MAX_CHARACTERS)}"`)),
    create('a long amount without quotes', invoice(`,"amount":${'1'.repeat(MAX_CHARACTERS)}`)),
    create(
      'nested passthrough',
      invoice(`,"amount":"1","passthrough":${'['.repeat(30)}${fill('1,')}1${']'.repeat(30)}`),
    ),
    create(
      'a long pair',
      invoice(
        `,"exchange_rate_limit":{"pair":"${'B'.repeat(MAX_CHARACTERS)}:USD","exchange_rate":"1","allowed_difference":"1"}`,
      ),
    ),
    create('surrogates', invoice(`,"amount":"1","notes":"${fill('\\ud800')}"`)),
    pay('a hundred recipients', payout(times(100, (at) => paid(`tb1q${'q'.repeat(30)}${at}`)))),
    pay(
      'a hundred recipients who could be paid',
      payout(`${times(100, () => paid(BITCOIN))}],"estimate_only":true,"a":[`),
    ),
    pay(
      'a hundred blinded recipients',
      payout(`${times(100, () => paid(LIQUID))}],"estimate_only":true,"a":[`, 'L-BTC'),
    ),
    pay('recipients beyond the limit', payout(times(350, () => paid('x')))),
    pay('a long address', payout(paid('1'.repeat(4_000)))),
    pay('a long base58 address', payout(paid('z'.repeat(4_000)))),
    pay('a long base58 address on XRP', payout(paid('r'.repeat(4_000)), 'XRP')),
    pay('a long base58 address on Solana', payout(paid('2'.repeat(4_000)), 'SOL')),
    pay('a long base64 address on TON', payout(paid('A'.repeat(4_000)), 'TON')),
    pay('a long blech32 address', payout(paid(`tlq1${'q'.repeat(4_000)}`), 'L-BTC')),
    pay('six long base58 addresses', payout(times(6, () => paid('z'.repeat(3_800))))),
    pay(
      'a long lightning request',
      payout(paid(`lntb1${'q'.repeat(4_000)}`), 'BTC_LIGHTNING_TO_LIGHTNING'),
    ),
    pay('a long LNURL', payout(paid(`LNURL1${'Q'.repeat(4_000)}`), 'BTC_LIGHTNING_TO_LIGHTNING')),
    pay('long notes', payout(paid('x', '"1"', `,"notes":"memo:${'ä'.repeat(4_000)}"`))),
    pay(
      'a long reference',
      payout(`${paid('x')}],"reference_id":"${'r'.repeat(MAX_CHARACTERS - 100)}","a":[`),
    ),
  ];
}
