import { type Amount, formatAmount, parseAmount, toUnits } from '../amount/amount.ts';
import { CHAINS, type Kind, kindOf } from '../kinds/kind.ts';
import type { Network } from '../wire/status.ts';
import type { PaymentSource } from './checkout.ts';

export interface PaymentStringOptions {
  kind: string;
  /** Null for lightning. XRP: the r-address. */
  address: string | null;
  /** XRP: the destination tag. */
  tag?: string | null;
  /** XRP: the X-address, which holds the tag. */
  xAddress?: string | null;
  /** Liquid: the address that is not confidential; never in a payment string. */
  publicAddress?: string | null;
  /** Beside an address of bitcoin: a request of the same amount, for codes that hold both. */
  lightning?: { payment_request: string | null; lnurl: string | null } | null;
  /** The amount in the coin; null or `0` leaves it open. */
  amount: string | null;
  network: Network;
  /** ISO 8601; for TON links. */
  expiresAt?: string | null;
  /**
   * The token's contract, if it differs from the table: on a test network, or set by an operator.
   */
  contract?: string | null;
  /** The chain's id, if it differs from the table. */
  evmChainId?: number;
}

/**
 * The strings of one payment. QR code, link and copied texts differ in format, and all name the
 * same address, tag and amount.
 */
export interface PaymentStrings {
  /** The QR code that every wallet and exchange app reads. */
  qr: string;
  /**
   * The QR code in wallet mode: with the amount if every wallet of the chain reads it, otherwise
   * `qr`.
   */
  qrFull: string;
  /** The target of a wallet link. */
  link: string;
  /** The QR code of `?full=1`: address and amount, which few wallets support. */
  full: string;
  /** For copying: the address or the bare lightning request. */
  address: string;
  /** For copying, without trailing zeros. */
  amount: string | null;
  /** For copying. */
  tag: string | null;
  /**
   * The bare address without the tag (XRP: the r-address). Never show it as a QR code, because the
   * tag would be lost.
   */
  addressOnly: string;
}

/** The kind is unknown, the address or lightning request is missing, or the tag is invalid. */
export class PaymentStringError extends Error {
  override readonly name = 'PaymentStringError';
}

/**
 * The payment strings of an invoice.
 * @throws PaymentStringError for an unknown kind, a missing address or an invalid tag, AmountError
 * when the amount has more decimals than the coin.
 * @example
 * paymentStrings({kind: 'ETH', address: '0x98…', amount: '0.1', network: 'mainnet'}).link
 * // 'ethereum:0x98…@1?value=100000000000000000'
 */
export function paymentStrings(options: PaymentStringOptions): PaymentStrings {
  const kind = kindOf(options.kind);
  if (!kind) throw new PaymentStringError(`unknown kind: ${JSON.stringify(options.kind)}`);
  const parsed = options.amount === null ? 0n : parseAmount(options.amount);
  const amount = parsed > 0n ? parsed : null;
  const [bare, tag] = targetOf(kind, options);
  if (tag?.isWellFormed() === false)
    throw new PaymentStringError(
      `the tag ${JSON.stringify(tag)} is no text that a link could carry`,
    );
  const forms = formsOf({ kind, options, bare, tag, amount });
  return {
    qrFull: forms.qr,
    full: forms.link,
    ...forms,
    address: bare,
    amount: amount === null ? null : formatAmount(amount),
    tag,
    addressOnly: bare,
  };
}

/**
 * The text of the QR code. Exchanges read only an address, so theirs is bare. XRP keeps its tag,
 * and a lightning request contains everything.
 */
export function qrText(kind: Kind, strings: PaymentStrings, from: PaymentSource): string {
  if (from === 'wallet' || kind.chain === 'lightning') return strings.qrFull;
  return kind.paymentString === 'xrp' ? strings.qr : strings.addressOnly;
}

interface Request {
  kind: Kind;
  options: PaymentStringOptions;
  bare: string;
  tag: string | null;
  amount: Amount | null;
}

interface Forms {
  qr: string;
  link: string;
  qrFull?: string;
  full?: string;
}

function formsOf(request: Request): Forms {
  const { kind, bare, amount } = request;
  const decimal = amount === null ? null : formatAmount(amount);
  switch (kind.paymentString) {
    case 'bip21':
      return bip21(request, decimal);
    case 'lightning':
    case 'lnurl':
      return { qr: `lightning:${bare.toUpperCase()}`, link: `lightning:${bare.toLowerCase()}` };
    case 'evm':
      return {
        qr: bare,
        link: withQuery(`ethereum:${bare}@${chainIdOf(request)}`, { value: unitsOf(request) }),
      };
    case 'evm_token':
      return { qr: bare, link: erc20Link(request) };
    case 'solana':
      return walletForms(bare, splToken(request, decimal));
    case 'ton':
      return walletForms(bare, tonLink(request));
    case 'xrp':
      return xrp(request, decimal);
    case 'tron':
      return { qr: bare, link: withQuery(`tron:${bare}`, { amount: decimal }) };
    case 'tron_token':
      // Some wallets read the amount of a `tron:` link as TRX.
      return { qr: bare, link: bare };
    case 'liquid':
      return {
        ...walletForms(
          `liquidnetwork:${bare}`,
          withQuery(`liquidnetwork:${bare}`, { amount: decimal, assetid: contractOf(request) }),
        ),
      };
    default:
      return assertNever(kind.paymentString);
  }
}

/** For chains on which every wallet reads the amount. */
function walletForms(qr: string, link: string): Forms {
  return { qr, link, qrFull: link };
}

function bip21({ kind, options, bare }: Request, amount: string | null): Forms {
  const scheme = CHAINS[kind.chain].scheme ?? '';
  // Upper-case bech32 (BIP173) makes smaller codes. Base58 is case-sensitive, and some readers
  // require a lower-case scheme.
  const inQr = /^(?:bc|tb|bcrt|ltc|tltc|rltc)1[02-9ac-hj-np-z]+$/.test(bare)
    ? bare.toUpperCase()
    : bare;
  // A request has a fixed amount, so it is never beside an open one.
  const lightning =
    kind.chain === 'bitcoin' && amount !== null
      ? (options.lightning?.payment_request?.toLowerCase() ?? null)
      : null;
  const full = withQuery(`${scheme}:${inQr}`, {
    amount,
    lightning: lightning && lightning.toUpperCase(),
  });
  return {
    qr: `${scheme}:${inQr}`,
    qrFull: full,
    full,
    link: withQuery(`${scheme}:${bare}`, { amount, lightning }),
  };
}

function xrp({ options, bare, tag }: Request, amount: string | null): Forms {
  const link = withQuery(`https://xaman.app/detect/request:${bare}`, { amount, dt: tag });
  // Without an X-address: never the r-address alone, because the tag would be lost.
  return { qr: options.xAddress ?? (tag === null ? bare : link), link };
}

/** ERC-681, always with the chain id, because the same address exists on every chain. */
function erc20Link(request: Request): string {
  const contract = contractOf(request);
  if (contract === null) return request.bare;
  return withQuery(`ethereum:${contract}@${chainIdOf(request)}/transfer`, {
    address: request.bare,
    uint256: unitsOf(request),
  });
}

function splToken(request: Request, amount: string | null): string {
  const mint = contractOf(request);
  if (request.kind.token && mint === null) return request.bare;
  return withQuery(`solana:${request.bare}`, { amount, 'spl-token': mint });
}

function tonLink(request: Request): string {
  const { options, bare, tag } = request;
  const expires = options.expiresAt
    ? String(Math.floor(Date.parse(options.expiresAt) / 1000))
    : null;
  return withQuery(`ton://transfer/${bare}`, {
    amount: unitsOf(request),
    jetton: contractOf(request),
    text: tag === null ? null : encodeURIComponent(tag),
    exp: expires,
  });
}

/** Values are digits, addresses and ids, which need no encoding. */
function withQuery(start: string, members: Readonly<Record<string, string | null>>): string {
  const query = Object.entries(members)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return query === '' ? start : `${start}?${query}`;
}

function unitsOf({ kind, amount }: Request): string | null {
  return amount === null ? null : toUnits(amount, kind.decimals).toString();
}

function chainIdOf({ kind, options }: Request): number {
  const { evmChainId, testEvmChainId } = CHAINS[kind.chain];
  return options.evmChainId ?? (options.network === 'mainnet' ? evmChainId : testEvmChainId) ?? 1;
}

/**
 * A test network without a contract of its own uses the main network's, because a sandbox has the
 * same tokens.
 */
function contractOf({ kind, options }: Request): string | null {
  return (
    options.contract ??
    (options.network === 'mainnet' ? kind.contract : (kind.testContract ?? kind.contract))
  );
}

function targetOf(
  kind: Kind,
  { address, tag, lightning }: PaymentStringOptions,
): [bare: string, tag: string | null] {
  const request = kind.paymentString === 'lnurl' ? lightning?.lnurl : lightning?.payment_request;
  const target = kind.chain === 'lightning' ? request : address;
  if (!target)
    throw new PaymentStringError(
      `an invoice of ${kind.kind} needs ${kind.chain === 'lightning' ? 'a lightning request' : 'an address'}`,
    );
  if (kind.paymentString !== 'xrp') return [target, tag ?? null];
  // The API joins account and tag by a colon.
  const [account, ...joined] = target.split(':');
  if (!account)
    throw new PaymentStringError(`${JSON.stringify(target)} has no account before the tag`);
  const tags = [
    ...(joined.length > 0 ? [joined.join(':')] : []),
    ...(tag === null || tag === undefined ? [] : [tag]),
  ];
  for (const each of tags)
    if (!/^\d{1,10}$/.test(each) || each !== tags[0])
      throw new PaymentStringError(
        `a destination tag is one whole number, not ${JSON.stringify(each)}`,
      );
  return [account, tags[0] ?? null];
}

function assertNever(family: never): never {
  throw new PaymentStringError(`unknown payment strings: ${String(family)}`);
}
