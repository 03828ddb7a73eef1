import { expect } from '@playwright/test';
import type { Stack } from './stack.ts';

/** What a page tells a buyer about one payment. */
export interface Told {
  /** Texts of amount, address and tag, as they are drawn, in this order. */
  values: string[];
  /** What each copy button has put on the clipboard, in the order of the buttons. */
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
}

export async function viewOf(
  stack: Stack,
  id: string,
): Promise<{ id: string; stage: string; coins: { kind: string; network: string }[]; payment: PaymentView }> {
  return (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as never;
}

/** Before the page's own script: keeps what goes to the clipboard, whichever way the browser offers. */
export const WATCH_CLIPBOARD = `
globalThis.__name = (named) => named;
globalThis.copiedTexts = [];
if (navigator.clipboard) navigator.clipboard.writeText = async (text) => void globalThis.copiedTexts.push(text);
document.addEventListener('copy', () => globalThis.copiedTexts.push(String(getSelection())), true);
`;

/** Runs in the page: reads the values, presses every copy button, and reads the wallet link, through all shadow roots. */
export async function readEverything(): Promise<Omit<Told, 'qr'>> {
  const all = (root: ParentNode, selector: string): Element[] => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll('*')].flatMap((element) => (element.shadowRoot ? all(element.shadowRoot, selector) : [])),
  ];
  const parts = all(document, 'crypto-amount, crypto-address').flatMap((element) => [
    ...element.shadowRoot!.querySelectorAll<HTMLElement>('[part~="value"]'),
  ]);
  const values = parts.map(({ textContent }) => (textContent ?? '').replace(/\s+/g, ' ').trim());
  for (const button of all(document, '[part~="copy-button"]')) {
    (button as HTMLElement).click();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const [link] = all(document, 'a[part~="wallet-link"]') as HTMLAnchorElement[];
  return { values, copied: (globalThis as unknown as { copiedTexts: string[] }).copiedTexts, link: link?.getAttribute('href') ?? null };
}

/** Everything told names the same address, tag and amount, read by rules that stand in no file of ours but this. */
export function expectOneAddress(told: Told, payment: PaymentView, from: string): void {
  const { kind, tag, lightning, x_address } = payment;
  const note = `${kind} from ${from}: ${JSON.stringify(told)}`;
  const target = lightning ? (lightning.payment_request ?? lightning.lnurl ?? '') : (payment.address ?? '');
  const amount = payment.remaining ?? payment.due ?? '';
  expect(target.length, note).toBeGreaterThan(20);

  const compact = told.values.map((value) => value.replace(/\s/g, ''));
  expect(compact, note).toContain(target);
  expect(told.copied, note).toContain(target);
  expect(
    compact.some((value) => value.startsWith(amount)),
    note,
  ).toBe(true);
  expect(told.copied, note).toContain(amount);
  if (tag !== null) {
    expect(compact, note).toContain(tag);
    expect(told.copied, note).toContain(tag);
  }
  // No other thing can be copied than these, and Liquid's plain address.
  const known = [target, amount, tag, payment.public_address].filter((text) => text !== null);
  expect(
    told.copied.filter((text) => !known.includes(text)),
    note,
  ).toEqual([]);

  // An XRP code never loses the tag: it holds the X-address.
  const inCode = kind.startsWith('XRP') ? (x_address ?? '') : target;
  expect(told.qr.toLowerCase(), note).toContain(inCode.toLowerCase());
  if (from === 'exchange' && !lightning) expect(told.qr, note).toBe(inCode);
  expectLink(told.link, payment, { target, amount, note });
}

function expectLink(link: string | null, { kind, tag, symbol }: PaymentView, of: { target: string; amount: string; note: string }): void {
  if (link === null) return;
  const { target, amount, note } = of;
  const text = link.toLowerCase();
  expect(text, note).toContain(target.toLowerCase());
  if (tag !== null) expect(text, note).toContain(`dt=${tag}`);
  if (/^(BTC|BTC_BECH32|BTC_P2SH|LTC|DOGE|SOL|TRX|XRP)$/.test(kind)) expect(new URL(link).searchParams.get('amount'), note).toBe(amount);
  const units = /[?&](?:value|uint256)=(\d+)/.exec(link)?.[1];
  if (units !== undefined) {
    // The digits of the amount, moved by the coin's decimals: nothing else may differ.
    expect(units.replace(/0+$/, ''), `${symbol} ${note}`).toBe(amount.replace('.', '').replace(/^0+/, '').replace(/0+$/, ''));
  }
}
