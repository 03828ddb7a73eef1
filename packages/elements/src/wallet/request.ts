import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';

/** A wallet request, parsed from the payment's link. */
export interface WalletRequest {
  /** Determines the wallets that support it; tokens have a family of their own. */
  family: Family;
  kind: string;
  link: string;
  /** The address, or the lightning request. */
  to: string;
  /** Decimal, in the coin; null leaves it open. */
  amount: string | null;
  tag: string | null;
  /** In the smallest unit, if the link contains it. */
  units: string | null;
  /** The token's contract, mint or master, if the link contains it. */
  contract: string | null;
  chainId: number | null;
  /** The same payment over lightning, where the link holds a request beside the address. */
  beside: WalletRequest | null;
}

export type Family =
  | 'bitcoin'
  | 'litecoin'
  | 'dogecoin'
  | 'lightning'
  | 'lnurl'
  | 'evm'
  | 'evm_token'
  | 'solana'
  | 'solana_token'
  | 'ton'
  | 'ton_token'
  | 'xrp'
  | 'tron'
  | 'tron_token'
  | 'liquid';

/** Links whose scheme is not the family. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/^lightning:lnurl/i, 'lnurl'],
  [/^ethereum:\w+@\d+\/transfer\?/, 'evm_token'],
  [/^ethereum:/, 'evm'],
  [/^solana:.*[?&]spl-token=/, 'solana_token'],
  [/^ton:.*[?&]jetton=/, 'ton_token'],
  [/^https:\/\/xaman\.app\/detect\/request:/, 'xrp'],
  [/^liquid\w+:/, 'liquid'],
];
const SCHEME = /^(bitcoin|litecoin|dogecoin|lightning|solana|ton|tron):/;

function familyOf(link: string): Family | undefined {
  const special = FAMILIES.find(([form]) => form.test(link))?.[1];
  return special ?? (SCHEME.exec(link)?.[1] as Family | undefined);
}

/** Parses a payment; null if no wallet supports its link. */
export function requestOf(payment: CheckoutPayment): WalletRequest | null {
  const { kind, strings, tag, address, lightning } = payment;
  const { link, amount } = strings;
  const to = strings.address || address || (lightning?.payment_request ?? lightning?.lnurl);
  // Wallets share no link format for tokens of TRON: it is the bare address.
  const family = kind.endsWith('-TRX') && link === to ? 'tron_token' : familyOf(link);
  // Reject a link to another address than the displayed one.
  if (!family || !to || !link.toLowerCase().includes(to.toLowerCase())) return null;
  const query = new URLSearchParams(link.split('?')[1]);
  const [, target = '', chainId] = /^ethereum:(\w+)@(\d+)/.exec(link) ?? [];
  return {
    family,
    kind,
    link,
    to,
    amount,
    tag,
    units:
      query.get('value') ??
      query.get('uint256') ??
      (family.startsWith('ton') ? query.get('amount') : null),
    contract:
      query.get('spl-token') ?? query.get('jetton') ?? (family === 'evm_token' ? target : null),
    chainId: chainId ? Number(chainId) : null,
    beside: family === 'bitcoin' ? besideOf(payment, query) : null,
  };
}

/** The request in a bitcoin link (BIP21), which must be the displayed one. */
function besideOf(
  { strings, lightning }: CheckoutPayment,
  query: URLSearchParams,
): WalletRequest | null {
  const to = lightning?.payment_request;
  if (!to || query.get('lightning')?.toLowerCase() !== to.toLowerCase()) return null;
  return {
    family: 'lightning',
    kind: 'BTC_LIGHTNING',
    link: `lightning:${to.toLowerCase()}`,
    to,
    amount: strings.amount,
    tag: null,
    units: null,
    contract: null,
    chainId: null,
    beside: null,
  };
}
