import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';

/** What a wallet is asked for, read from the link of a payment. */
export interface WalletRequest {
  /** Which wallets could know it; a token has another family than its chain's own coin. */
  family: Family;
  kind: string;
  link: string;
  /** Where to: the address, or the lightning request. */
  to: string;
  /** Decimal, in the coin; null leaves it open. */
  amount: string | null;
  tag: string | null;
  /** In the smallest units, where the link says so. */
  units: string | null;
  /** The token's contract, mint or master. */
  contract: string | null;
  chainId: number | null;
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

const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/^bitcoin:/, 'bitcoin'],
  [/^litecoin:/, 'litecoin'],
  [/^dogecoin:/, 'dogecoin'],
  [/^lightning:lnurl/i, 'lnurl'],
  [/^lightning:/, 'lightning'],
  [/^ethereum:\w+@\d+\/transfer\?/, 'evm_token'],
  [/^ethereum:/, 'evm'],
  [/^solana:.*[?&]spl-token=/, 'solana_token'],
  [/^solana:/, 'solana'],
  [/^ton:.*[?&]jetton=/, 'ton_token'],
  [/^ton:/, 'ton'],
  [/^https:\/\/xaman\.app\/detect\/request:/, 'xrp'],
  [/^tron:/, 'tron'],
  [/^liquid\w+:/, 'liquid'],
];

/** Tokens of TRON, whose link is the bare address: no link for them is common to wallets. Their contracts, where a wallet needs them. */
export const TRON_TOKENS: Readonly<Record<string, string>> = {
  'USDT-TRX': 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  'USDC-TRX': 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8',
};

/** What the payment asks a wallet for; null where no wallet is known to understand its link. */
export function requestOf({ kind, strings, tag, address, lightning }: CheckoutPayment): WalletRequest | null {
  const { link, amount } = strings;
  const to = strings.address || (lightning ? (lightning.payment_request ?? lightning.lnurl) : address);
  const contract = TRON_TOKENS[kind];
  const family = contract && link === to ? 'tron_token' : FAMILIES.find(([form]) => form.test(link))?.[1];
  // A link that names somebody else than the page does is nobody's.
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
    units: query.get('value') ?? query.get('uint256') ?? (family.startsWith('ton') ? query.get('amount') : null),
    contract: contract ?? query.get('spl-token') ?? query.get('jetton') ?? (family === 'evm_token' ? target : null),
    chainId: chainId ? Number(chainId) : null,
  };
}
