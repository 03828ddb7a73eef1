import { sql } from 'kysely';
import {
  AmountError,
  formatAmount,
  parseAmount,
  roundUp,
  toUnits,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { decodeBolt11 } from '@crypto-checkout/chains/lightning/bolt11';
import { millisatoshi, MSAT_DECIMALS } from '@crypto-checkout/chains/lightning/payment-request';
import { hasAddress } from '../search/address.ts';
import type { SandboxFlags } from './store.ts';
import type { SandboxWorld } from './world.ts';

export interface PayRequest {
  invoiceId: string;
  /** Default: the remaining amount. */
  amount?: string | undefined;
  /** Another coin, sent to the same address. Default: the invoice's. */
  kind?: string | undefined;
  /** Several outputs of one transaction instead of `amount`. */
  outputs?: readonly string[] | undefined;
  /** XRP only: a destination tag other than the invoice's, or null for none. */
  tag?: string | null | undefined;
  /** Result of the risk check; `high` and `critical` are quarantined. */
  risk?: SandboxFlags['risk'];
  /** Replaceable: not safe without a confirmation. */
  replaceable?: boolean | undefined;
}

interface PayableInvoice {
  kind: string;
  chain: ChainId;
  invoiced: string | null;
  lightning: { paymentRequest: string | null; paymentHash: string | null } | null;
  watch_key: string | null;
  /** Of a lightning request beside the address. */
  request_closed: boolean;
  paid: string;
}

/**
 * Pays an invoice on its sandbox chain, like a buyer's wallet.
 * @throws ServiceError for an unknown invoice, an impossible payment, or an amount that is missing
 * or has too many decimals
 */
export async function payInvoice(
  context: Context,
  world: SandboxWorld,
  request: PayRequest,
): Promise<{ txid: string }> {
  const invoice = await findPayable(context.db, request.invoiceId);
  const kind = kindToSend(context, invoice, request.kind);
  const amounts = amountsToSend(invoice, kind, request);
  const watchKey = isBeside(invoice, kind)
    ? `ln:${invoice.lightning?.paymentHash}`
    : watchKeyToPay(invoice, kind, request.tag);
  if (kind.chain === 'lightning') await checkLightning(context, invoice, watchKey, amounts);
  return world.pay(
    kind.chain,
    amounts.map((amount) => ({
      asset: kind.asset,
      address: addressOf(watchKey),
      watchKey,
      amount,
    })),
    { risk: request.risk, replaceable: request.replaceable },
  );
}

/**
 * The newest invoice of an address that a buyer reads, in any case: EVM addresses are shown with
 * their checksum, and those of Liquid are confidential. The invoices of XRP share one address.
 * @throws ServiceError when no invoice has it, or several do
 */
export async function invoiceOfAddress(db: Db, address: string): Promise<string> {
  const { rows } = await sql<{ invoice_id: string; is_shared: boolean }>`
    select d.invoice_id, d.chain = 'xrp' as is_shared
    from deposit_target d join invoice i on i.id = d.invoice_id
    where lower(split_part(d.watch_key, ':', 2)) = lower(${address}) or ${hasAddress(address)}
    order by d.created_at desc limit 1`.execute(db);
  const [found] = rows;
  if (found === undefined)
    throw new ServiceError('NotFound', `No invoice has the address ${address}.`);
  if (found.is_shared)
    throw invalid('address', 'the invoices of XRP share one address: state invoice_id');
  return found.invoice_id;
}

async function findPayable(db: Db, id: string): Promise<PayableInvoice> {
  const uuid = id.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const unknown = new ServiceError('NotFound', `Unknown invoice ${id}.`);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) throw unknown;
  // A renewed lightning invoice has several requests; the newest is paid.
  const { rows } = await sql<PayableInvoice>`
    select i.kind, i.chain, i.invoiced, i.lightning, i.request_closed,
      (select d.watch_key from deposit_target d where d.invoice_id = i.id and (d.chain = 'lightning') = (i.chain = 'lightning')
        order by d.watch_key = 'ln:' || coalesce(i.lightning->>'paymentHash', '') desc, d.created_at desc limit 1) as watch_key,
      (select coalesce(sum(t.amount - t.refunded), 0) from transaction t where t.invoice_id = i.id and t.counted
        and t.status not in ('replaced', 'failed') and (t.in_mempool or t.block_height is not null)) as paid
    from invoice i where i.id = ${uuid}`.execute(db);
  if (rows[0] === undefined) throw unknown;
  return rows[0];
}

function kindToSend(context: Context, invoice: PayableInvoice, other: string | undefined): Kind {
  const kind = kindOf(other ?? invoice.kind);
  if (kind === undefined) throw invalid('kind', `"${other}" is not a kind`);
  const adapter = context.chains.get(kind.chain);
  if (CHAINS[kind.chain].keyGroup !== CHAINS[invoice.chain].keyGroup && !isBeside(invoice, kind)) {
    throw invalid('kind', `${kind.kind} can't be sent to an address of ${invoice.kind}`);
  }
  if (adapter?.source !== 'sandbox')
    throw new ServiceError(
      'InvalidState',
      `${CHAINS[kind.chain].name} is not simulated here: pay with a wallet.`,
    );
  if (!adapter.kinds.includes(kind.kind))
    throw invalid('kind', `${kind.kind} is not available here`);
  return kind;
}

/** Whether the payment goes to the lightning request beside an address. */
const isBeside = ({ chain, lightning }: PayableInvoice, kind: Kind): boolean =>
  kind.chain === 'lightning' && chain !== 'lightning' && lightning !== null;

function amountsToSend(
  invoice: PayableInvoice,
  kind: Kind,
  { amount, outputs }: PayRequest,
): Amount[] {
  if (amount !== undefined && outputs !== undefined)
    throw invalid('outputs', 'amount and outputs are mutually exclusive');
  if (outputs !== undefined) return outputs.map((output) => readAmount('outputs', output, kind));
  if (amount !== undefined) return [readAmount('amount', amount, kind)];
  const due = parseAmount(invoice.invoiced ?? '0') - parseAmount(invoice.paid);
  if (due <= 0n)
    throw new ServiceError('InvalidState', 'Nothing is due on this invoice: state an amount.');
  return [roundUp(due, decimalsOf(kind))];
}

/** Lightning amounts have more decimals than those of the chain. */
const decimalsOf = ({ chain, decimals }: Kind): number =>
  chain === 'lightning' ? MSAT_DECIMALS : decimals;

function readAmount(field: string, text: string, kind: Kind): Amount {
  try {
    const amount = parseAmount(text);
    toUnits(amount, decimalsOf(kind));
    if (amount > 0n) return amount;
  } catch (cause) {
    if (!(cause instanceof AmountError)) throw cause;
  }
  throw invalid(
    field,
    `"${text}" is not an amount of ${kind.symbol}: more than 0, at most ${decimalsOf(kind)} decimals`,
  );
}

function watchKeyToPay(
  invoice: PayableInvoice,
  kind: Kind,
  tag: string | null | undefined,
): string {
  if (invoice.watch_key === null) {
    throw new ServiceError(
      'InvalidState',
      'An LNURL cannot be paid directly: request an invoice from its URL and pay that.',
    );
  }
  if (tag === undefined) return invoice.watch_key;
  if (kind.chain !== 'xrp') throw invalid('tag', 'only XRP payments carry a destination tag');
  const account = invoice.watch_key.split(':', 2).join(':');
  return tag === null ? account : `${account}:${tag}`;
}

/**
 * A node refuses a request that was settled or has expired, an amount below it, and more than twice
 * the amount (BOLT4).
 */
async function checkLightning(
  { db, clock }: Context,
  invoice: PayableInvoice,
  watchKey: string,
  amounts: readonly Amount[],
): Promise<void> {
  const [amount, ...more] = amounts;
  if (amount === undefined || more.length > 0)
    throw invalid('outputs', 'a lightning request takes a single output');
  const settled =
    await sql`select 1 from sandbox_output where chain = 'lightning' and watch_key = ${watchKey}`.execute(
      db,
    );
  if (settled.rows.length > 0)
    throw new ServiceError('InvalidState', 'This lightning request is already settled.');
  if (invoice.request_closed)
    throw new ServiceError('InvalidState', 'This lightning request was cancelled.');
  const request = decodeBolt11(invoice.lightning?.paymentRequest ?? '');
  if ((request.timestamp + request.expirySeconds) * 1000 <= clock.now())
    throw new ServiceError('InvalidState', 'This lightning request has expired.');
  const sent = millisatoshi(amount);
  if (
    request.amountMsat !== null &&
    (sent < request.amountMsat || sent > request.amountMsat * 2n)
  ) {
    throw invalid(
      'amount',
      `${formatAmount(amount)} does not pay this request: a node accepts its amount, and up to twice that`,
    );
  }
}

function addressOf(watchKey: string): string {
  return watchKey.split(':')[1] ?? watchKey;
}

function invalid(field: string, message: string): ServiceError {
  return new ServiceError('ValidationError', `${message}.`, { errors: [{ field, message }] });
}
