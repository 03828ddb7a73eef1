import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { CheckoutPayment, SignedTerms } from '@crypto-checkout/protocol/checkout';
import { CHAINS, type Kind, TEST_CHAIN_IDS, kindOf } from '@crypto-checkout/protocol/kind';
import { paymentStrings, qrText } from '@crypto-checkout/protocol/payment-string';
import { encodeQr } from '@crypto-checkout/protocol/qr';

/** The values of a payment that its proof has signed. */
export interface Proven {
  kind: string;
  network: string;
  /** The address, or the lightning request. */
  target: string;
  /** The lightning request beside an address, which has a proof of its own. */
  beside: string | null;
  tag: string | null;
  terms: SignedTerms;
}

/**
 * The payment again, with every text, code and link made from proven values: address, tag, coin,
 * amount and expiry. Received amounts and transactions are the server's word.
 * @throws Error for a kind that this version lacks
 */
export function rebuild(
  payment: CheckoutPayment,
  { kind: name, network, target, beside, tag, terms }: Proven,
): CheckoutPayment {
  const kind = kindOf(name);
  if (!kind || !target) throw new Error(`unknown kind: ${name}`);
  const isLightning = kind.chain === 'lightning';
  const due = /[1-9]/.test(terms.invoiced) ? terms.invoiced : null;
  const remaining = isLightning ? due : restOf(payment, due);
  const from = payment.from === 'exchange' ? 'exchange' : 'wallet';
  const address = isLightning ? null : target;
  const lightning = isLightning ? requestOf(kind, target) : besideOf(beside);
  const strings = paymentStrings({
    kind: name,
    address,
    tag,
    lightning,
    amount: remaining,
    network: network === 'mainnet' ? 'mainnet' : 'testnet',
    expiresAt: terms.expires_at,
    ...(network !== 'mainnet' && testNetworkOf(kind, payment.strings.link)),
  });
  const qr = qrText(kind, strings, from);
  return {
    ...payment,
    kind: name,
    name: kind.name,
    network: kind.network,
    symbol: kind.symbol,
    from,
    address,
    tag: strings.tag,
    // Other forms of the address are not signed.
    x_address: null,
    public_address: null,
    lightning,
    due,
    remaining,
    strings: {
      qr,
      link: hasOtherContract(kind, payment.strings.link) ? strings.address : strings.link,
      address: strings.address,
      amount: strings.amount,
      tag: strings.tag,
    },
    qr: encodeQr(qr, { mask: 'fixed' }),
    expires_at: earlier(payment.expires_at, terms.expires_at),
  };
}

/**
 * The chain id and the contract of the server's link. Proofs name "testnet", which has several
 * networks; only known test networks are taken from a link.
 */
function testNetworkOf(
  { chain }: Kind,
  link: string,
): { evmChainId?: number; contract?: string | null } {
  const [, target = null, id, isToken] = /^ethereum:(0x\w{40})@(\d+)(\/transfer)?/.exec(link) ?? [];
  const evmChainId = Number(id);
  const isTest = [CHAINS[chain].testEvmChainId, ...TEST_CHAIN_IDS].includes(evmChainId);
  if (!id || !isTest) return {};
  return { evmChainId, contract: isToken ? target : null };
}

/**
 * Whether the server's link pays a token that is not the one of the table: an operator can set
 * another contract on a main network, and no proof names it. A link with either contract could pay
 * the wrong token, so the payment has none.
 */
function hasOtherContract({ chain, contract }: Kind, link: string): boolean {
  const [, stated, id] = /^ethereum:(0x\w{40})@(\d+)\/transfer/.exec(link) ?? [];
  return (
    Boolean(contract && stated) &&
    Number(id) === CHAINS[chain].evmChainId &&
    stated!.toLowerCase() !== contract!.toLowerCase()
  );
}

const requestOf = (kind: Kind, target: string): CheckoutPayment['lightning'] =>
  kind.paymentString === 'lnurl'
    ? { payment_request: null, lnurl: target }
    : { payment_request: target, lnurl: null };

const besideOf = (request: string | null): CheckoutPayment['lightning'] =>
  request === null ? null : { payment_request: request, lnurl: null };

/** The rest after a part payment, which only the server has. It never exceeds the proven amount. */
function restOf({ remaining }: CheckoutPayment, due: string | null): string | null {
  if (due === null || remaining === null) return due;
  return parseAmount(remaining) < parseAmount(due) ? remaining : due;
}

/** The server ends a price early when the order was paid with another coin. */
function earlier(stated: string | null, proven: string | null): string | null {
  if (stated === null || proven === null) return proven;
  return Date.parse(stated) < Date.parse(proven) ? stated : proven;
}
