import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { base58xrp, bech32 } from '@scure/base';
import { decode as decodeBolt11 } from 'light-bolt11-decoder';
import type { Stack } from './stack.ts';

/** The payment details on a page. */
export interface DisplayedPayment {
  /** The displayed texts of amount, address and tag, in this order. */
  values: string[];
  /** The clipboard content of each copy button, in order. */
  copied: string[];
  link: string | null;
  qr: string;
}

export interface PaymentView {
  kind: string;
  from: string;
  invoice_id: string;
  address: string | null;
  tag: string | null;
  x_address: string | null;
  public_address: string | null;
  lightning: { payment_request: string | null; lnurl: string | null } | null;
  due: string | null;
  remaining: string | null;
  symbol: string;
  network: string;
  expires_at: string | null;
}

/** The members of a checkout that tests read. */
interface View<Payment> {
  id: string;
  stage: string;
  notes: string[];
  coins: { kind: string; network: string }[];
  payment: Payment;
  refundable?: { ready: boolean; transaction: string }[];
  refunds?: {
    transaction: string;
    status: string;
    txid: string | null;
    amount: string;
    received: string;
  }[];
}

/** @typeParam Payment the members of the payment that the test reads, in the coin that it chose */
export async function viewOf<Payment = PaymentView>(
  stack: Stack,
  id: string,
): Promise<View<Payment>> {
  return (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as View<Payment>;
}

/** Runs before the page's script: records clipboard writes by any API. */
export const WATCH_CLIPBOARD = `
globalThis.__name = (named) => named;
globalThis.copiedTexts = [];
if (navigator.clipboard) navigator.clipboard.writeText = async (text) => void globalThis.copiedTexts.push(text);
document.addEventListener('copy', () => globalThis.copiedTexts.push(String(getSelection())), true);
`;

/**
 * Runs in the page: reads the values, presses every copy button, and reads the wallet link, through
 * all shadow roots.
 */
export async function readEverything(scope?: ParentNode): Promise<Omit<DisplayedPayment, 'qr'>> {
  const all = (root: ParentNode, selector: string): Element[] => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll('*')].flatMap((element) =>
      element.shadowRoot ? all(element.shadowRoot, selector) : [],
    ),
  ];
  const top = scope ?? document;
  const parts = all(top, 'crypto-amount, crypto-address').flatMap((element) => [
    ...element.shadowRoot!.querySelectorAll<HTMLElement>('[part~="value"]'),
  ]);
  const values = parts.map(({ textContent }) => (textContent ?? '').replace(/\s+/g, ' ').trim());
  const { copiedTexts } = globalThis as unknown as { copiedTexts: string[] };
  copiedTexts.length = 0;
  for (const button of all(top, '[part~="copy-button"]')) {
    (button as HTMLElement).click();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const [link] = all(top, 'a[part~="wallet-link"]') as HTMLAnchorElement[];
  return { values, copied: [...copiedTexts], link: link?.getAttribute('href') ?? null };
}

/** In English: a single decimal is completed, satoshis and long sums of coins are grouped. */
export function writtenSum(sum: string, unit: string): string {
  const [whole = '', decimals] = sum.split('.');
  const separator = unit === 'sats' ? ',' : whole.length < 5 ? '' : ' ';
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
  return decimals === undefined ? grouped : `${grouped}.${decimals.padEnd(2, '0')}`;
}

/** All details name the same address, tag and amount, by rules that only this file defines. */
export function expectOneAddress(displayed: DisplayedPayment, payment: PaymentView): void {
  const note = `${payment.kind} from ${payment.from}: ${JSON.stringify(displayed)}`;
  const { target, amount } = asked(payment);
  expect(target.length, note).toBeGreaterThan(20);
  expect(amount, note).toMatch(/^(?:0\.\d*[1-9]|[1-9]\d*(?:\.\d*[1-9])?)$/);
  // Some exchanges need Liquid's plain address instead.
  const alone = [target, payment.tag, payment.public_address].filter((text) => text !== null);
  // Withdrawal forms of exchanges ask for BTC.
  const inSats = payment.lightning && payment.from === 'wallet';
  const [sum, unit] = inSats ? [satoshis(amount), 'sats'] : [amount, payment.symbol];
  const values = [`${writtenSum(sum, unit)} ${unit}`, ...alone];
  expect(displayed.values.toSorted(), note).toEqual(values.toSorted());
  expect(displayed.copied.toSorted(), note).toEqual([sum, ...alone].toSorted());
  expectCode(displayed.qr, payment);
  const { link } = formOf(payment.kind);
  if (payment.from === 'exchange' || link === null) expect(displayed.link, note).toBeNull();
  else expectForm(link, displayed.link ?? 'no link', payment);
}

/**
 * A code identifies the payment: with the amount where the table says so, as the bare address for
 * exchanges, and never without a tag.
 */
export function expectCode(qr: string, payment: PaymentView): void {
  const { code, exchange = 'address' } = formOf(payment.kind);
  expectForm(payment.from === 'exchange' ? exchange : code, qr, payment);
  // Upper-case where that makes codes smaller; the scheme never is.
  const bech32Address = /^(?:tb|bcrt|tltc|rltc)1|^ln/.test(asked(payment).target);
  if (bech32Address && qr.includes(':')) expect(qr.split(/[:?]/)[1], qr).toMatch(/^[A-Z0-9]+$/);
}

function expectForm(form: Form, text: string, payment: PaymentView): void {
  const { target, amount } = asked(payment);
  const { address, tag, amount: said } = FORMS[form](text, payment);
  const note = `${form} of ${payment.kind}: ${text}`;
  expect(address, note).toBe(target);
  if (tag !== undefined) expect(tag, note).toBe(payment.tag);
  else expect(payment.tag, note).toBeNull();
  expect(said, note).toBe(WITHOUT_AMOUNT.includes(form) ? undefined : amount);
}

/** An amount of bitcoin in satoshis, as lightning wallets show it. */
function satoshis(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(8, '0')).toString();
}

/** The server's payment data. */
function asked({ lightning, address, remaining, due }: PaymentView): {
  target: string;
  amount: string;
} {
  return {
    target: (lightning ? (lightning.payment_request ?? lightning.lnurl) : address) ?? '',
    amount: remaining ?? due ?? '',
  };
}

type Form = keyof typeof FORMS;

/**
 * Expected payment strings by kind: the code in wallet mode, the wallet link (null where there is
 * none), and the code for an exchange where it is not the bare address.
 */
const TABLE: readonly (readonly [
  kinds: RegExp,
  forms: { code: Form; link: Form | null; exchange?: Form },
])[] = [
  [/^(?:BTC|BTC_P2SH|BTC_BECH32|LTC|DOGE)$/, { code: 'bip21', link: 'bip21' }],
  [/^BTC_LIGHTNING$/, { code: 'bolt11', link: 'bolt11', exchange: 'bolt11' }],
  [/^BTC_LIGHTNING_LNURL$/, { code: 'lnurl', link: 'lnurl', exchange: 'lnurl' }],
  [/^(?:ETH|ETH-BASE|ETH-ARBITRUM|POL|BNB|CELO)$/, { code: 'address', link: 'erc681' }],
  [
    /^ETH_|-(?:BASE|ARBITRUM|POLYGON|BSC|CELO)$|^(?:BUSD|WBNB)$/,
    { code: 'address', link: 'erc681Token' },
  ],
  [/^SOL$|-SOL$/, { code: 'solana', link: 'solana' }],
  [/^TON$|-TON$/, { code: 'ton', link: 'ton' }],
  [/^XRP$/, { code: 'xAddress', link: 'xaman', exchange: 'xAddress' }],
  [/^TRX$/, { code: 'address', link: 'tron' }],
  [/-TRX$/, { code: 'address', link: null }],
  [/^L-(?:BTC|USDT)$/, { code: 'liquid', link: 'liquid' }],
];

/**
 * A bare address and an X-address cannot carry an amount, and LNURL is priced when the wallet asks.
 */
const WITHOUT_AMOUNT: readonly string[] = ['address', 'xAddress', 'lnurl'];

function formOf(kind: string): (typeof TABLE)[number][1] {
  const found = TABLE.find(([kinds]) => kinds.test(kind));
  if (!found) throw new Error(`no row of the table has ${kind}`);
  return found[1];
}

/** The parsed content of a payment string. Forms with tags return one or null. */
interface Said {
  address: string;
  tag?: string | null;
  amount?: string | undefined;
}

/**
 * Parsers by form, each according to its standard. Unexpected content makes it another form, which
 * is refused.
 */
const FORMS = {
  address: (text: string): Said => ({ address: text }),
  /** BIP 21; bech32 means the same in upper case (BIP 173). */
  bip21(text: string, { kind }: PaymentView): Said {
    const scheme = kind === 'LTC' ? 'litecoin' : kind === 'DOGE' ? 'dogecoin' : 'bitcoin';
    const [, address = '', amount] = parts(
      text,
      new RegExp(`^${scheme}:([A-Za-z0-9]+)\\?amount=([0-9.]+)$`),
    );
    return {
      address: /^(?:TB|BCRT|TLTC|RLTC)1[A-Z0-9]+$/.test(address) ? address.toLowerCase() : address,
      amount,
    };
  },
  /** BOLT 11: the request carries the amount in millisatoshis. */
  bolt11(text: string): Said {
    const [, request = ''] = parts(text, /^lightning:(ln[a-z0-9]+|LN[A-Z0-9]+)$/);
    const section = decodeBolt11(request.toLowerCase()).sections.find(
      ({ name }) => name === 'amount',
    ) as { value: string } | undefined;
    return { address: request.toLowerCase(), amount: moved(section?.value ?? '', 11) };
  },
  /** LUD-01. */
  lnurl(text: string): Said {
    const [, lnurl = ''] = parts(text, /^lightning:(lnurl1[a-z0-9]+|LNURL1[A-Z0-9]+)$/);
    const address = lnurl.toLowerCase();
    const { prefix, words } = bech32.decode(address as `${string}1${string}`, false);
    expect(prefix).toBe('lnurl');
    expect(Buffer.from(bech32.fromWords(words)).toString('utf8')).toMatch(/^https?:\/\/\S+$/);
    return { address };
  },
  /** ERC-681, in wei. */
  erc681(text: string, { kind }: PaymentView): Said {
    const [, address = '', chain, value = ''] = parts(
      text,
      /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)\?value=(\d+)$/,
    );
    expect(chain, text).toBe(TEST_CHAINS[COIN_CHAINS[kind] ?? '']);
    return { address, amount: moved(value, 18) };
  },
  erc681Token(text: string, { kind }: PaymentView): Said {
    const form =
      /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)\/transfer\?address=(0x[0-9a-fA-F]{40})&uint256=(\d+)$/;
    const [, contract, chain, address = '', units = ''] = parts(text, form);
    const token = TOKENS[kind]!;
    expect([contract, chain], text).toEqual([token.contract, TEST_CHAINS[token.chain]]);
    return { address, amount: moved(units, token.decimals) };
  },
  /** Solana Pay: a decimal, whatever the token. */
  solana(text: string, { kind }: PaymentView): Said {
    const [, address = '', amount, mint] = parts(
      text,
      /^solana:([1-9A-HJ-NP-Za-km-z]+)\?amount=([0-9.]+)(?:&spl-token=(\w+))?$/,
    );
    expect(mint, text).toBe(TOKENS[kind]?.contract);
    return { address, amount };
  },
  /** Nanos of the coin, the smallest units of a jetton, and the end of the quote. */
  ton(text: string, { kind, expires_at }: PaymentView): Said {
    const [, address = '', units = '', jetton, ends] = parts(
      text,
      /^ton:\/\/transfer\/([\w-]{48})\?amount=(\d+)(?:&jetton=([\w-]{48}))?&exp=(\d+)$/,
    );
    expect(jetton, text).toBe(TOKENS[kind]?.contract);
    expect(Number(ends), text).toBe(Math.floor(Date.parse(expires_at ?? '') / 1000));
    return { address, amount: moved(units, TOKENS[kind]?.decimals ?? 9) };
  },
  /** XLS-5: account and tag in one, on a test network. */
  xAddress(text: string): Said {
    const bytes = checked(text);
    expect([bytes.length, bytes.subarray(0, 2).toString('hex'), bytes[22]], text).toEqual([
      31,
      '0493',
      1,
    ]);
    const account = Buffer.concat([Buffer.of(0), bytes.subarray(2, 22)]);
    const address = base58xrp.encode(Buffer.concat([account, checksum(account)]));
    return { address, tag: String(bytes.readBigUInt64LE(23)) };
  },
  xaman(text: string): Said {
    const [, address = '', amount, tag = ''] = parts(
      text,
      /^https:\/\/xaman\.app\/detect\/request:(r\w+)\?amount=([0-9.]+)&dt=(\d+)$/,
    );
    return { address, amount, tag };
  },
  tron(text: string): Said {
    const [, address = '', amount] = parts(text, /^tron:(T\w+)\?amount=([0-9.]+)$/);
    return { address, amount };
  },
  /** The amount in whole units of eight decimals, whatever the asset. */
  liquid(text: string, { kind }: PaymentView): Said {
    const [, address = '', amount, asset] = parts(
      text,
      /^liquidnetwork:([a-z0-9]+)\?amount=([0-9.]+)&assetid=([0-9a-f]{64})$/,
    );
    expect(asset, text).toBe(TEST_ASSETS[kind]);
    return { address, amount };
  },
} satisfies Record<string, (text: string, payment: PaymentView) => Said>;

function parts(text: string, form: RegExp): string[] {
  const found = form.exec(text);
  expect(found, `${text} is ${String(form)}`).not.toBeNull();
  return [...found!];
}

/** Smallest units as a decimal, by moving the point. */
function moved(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const checksum = (bytes: Uint8Array): Buffer => sha256(sha256(bytes)).subarray(0, 4);

function checked(text: string): Buffer {
  const bytes = Buffer.from(base58xrp.decode(text));
  const [content, sum] = [bytes.subarray(0, -4), bytes.subarray(-4)];
  expect(checksum(content), text).toEqual(sum);
  return content;
}

/** Published contracts and decimals, from the test vectors. */
const TOKENS: Readonly<Record<string, { chain: string; contract: string; decimals: number }>> =
  Object.fromEntries(
    (
      JSON.parse(
        readFileSync(
          new URL('../../packages/protocol/test/vectors/token.json', import.meta.url),
          'utf8',
        ),
      ) as { tokens: string[][] }
    ).tokens.map(([kind = '', chain = '', contract = '', decimals]) => [
      kind,
      { chain, contract, decimals: Number(decimals) },
    ]),
  );
const COIN_CHAINS: Readonly<Record<string, string>> = {
  ETH: 'eip155:1',
  'ETH-BASE': 'eip155:8453',
  'ETH-ARBITRUM': 'eip155:42161',
  POL: 'eip155:137',
  BNB: 'eip155:56',
  CELO: 'eip155:42220',
};
/**
 * A sandbox uses the test networks' chain ids: Sepolia, Base Sepolia, Arbitrum Sepolia, Amoy, BSC's
 * test network, Celo Sepolia.
 */
const TEST_CHAINS: Readonly<Record<string, string>> = {
  'eip155:1': '11155111',
  'eip155:8453': '84532',
  'eip155:42161': '421614',
  'eip155:137': '80002',
  'eip155:56': '97',
  'eip155:42220': '11142220',
};
const TEST_ASSETS: Readonly<Record<string, string>> = {
  'L-BTC': '144c654344aa716d6f3abcc1ca90e5641e4e2a7f633bc09fe3baf64585819a49',
  'L-USDT': 'b612eb46313a2cd6ebabd8b7a8eed5696e29898b87a43bff41c94f51acef9d73',
};
