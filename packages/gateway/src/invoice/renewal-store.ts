import type { AddressProof } from '@crypto-checkout/protocol/address-proof';
import type { DepositTarget } from '@crypto-checkout/chains/adapter';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Trx } from '../database/database.ts';
import { cancelLater } from './request-store.ts';
import type { InvoiceRow, QuoteRow } from './store.ts';

export interface Renewal {
  invoice: Pick<InvoiceRow, 'account_id' | 'id' | 'version' | 'lightning'>;
  quote: Pick<QuoteRow, 'number' | 'invoiced' | 'rate_usd' | 'currency_rates' | 'starts_at'>;
  expiresAt: string;
  extension: boolean;
  /** For the new amount, request and expiry. */
  proof: AddressProof | null;
  lightningProof: AddressProof | null;
  /** The request beside the address ends without another one. */
  isClosed: boolean;
  /** Lightning: the new request; the old one is cancelled, and still watched. */
  target: DepositTarget | null;
  chain: ChainId;
  at: string;
}

/** Saves a new price, or an extension, of a locked invoice. */
export async function saveRenewal(trx: Trx, renewal: Renewal): Promise<void> {
  const { invoice, quote, expiresAt, extension, proof, target, chain, at } = renewal;
  const { lightningProof, isClosed } = renewal;
  const { account_id, id } = invoice;
  const lightning = target?.lightning ? JSON.stringify(target.lightning) : null;
  await sql`
    insert into quote (account_id, invoice_id, number, invoiced, rate_usd, currency_rates, starts_at, expires_at)
    values (${account_id}, ${id}, ${quote.number}, ${quote.invoiced}, ${quote.rate_usd}, ${JSON.stringify(quote.currency_rates)}::jsonb,
      ${quote.starts_at}, ${expiresAt})
    on conflict (account_id, invoice_id, number) do update set expires_at = excluded.expires_at`.execute(
    trx,
  );
  await sql`
    update invoice set status = 'new', expires_at = ${expiresAt}, invoiced = ${quote.invoiced}, rate_usd = ${quote.rate_usd},
      extended = ${extension}, renewals = renewals + ${extension ? 0 : 1}, lightning = coalesce(${lightning}::jsonb, lightning),
      proof = ${json(proof)}::jsonb, lightning_proof = ${json(lightningProof)}::jsonb, request_closed = ${isClosed}, version = version + 1, updated_at = ${at}
    where id = ${id}`.execute(trx);
  const old = invoice.lightning?.paymentHash ?? null;
  if (old !== null) await cancelLater(trx, old, at);
  if (target === null) return;
  await sql`
    insert into deposit_target (watch_key, account_id, invoice_id, chain, created_at)
    select watch_key, ${account_id}, ${id}, ${chain}, ${at} from unnest(${[...target.watchKeys]}::text[]) as watch_key`.execute(
    trx,
  );
}

const json = (proof: AddressProof | null): string | null =>
  proof === null ? null : JSON.stringify(proof);

/** The number of renewals since a time, and whether the invoice has a payment that was not lost. */
export async function renewalFacts(
  trx: Trx,
  invoiceId: string,
  since: string,
): Promise<{ recent: number; paid: boolean }> {
  const { rows } = await sql<{ recent: number; paid: boolean }>`
    select (select count(*) from quote where invoice_id = ${invoiceId} and number > 1 and starts_at > ${since}) as recent,
      exists (select 1 from transaction where invoice_id = ${invoiceId} and counted and amount > refunded
        and status not in ('replaced', 'failed', 'quarantined') and (in_mempool or block_height is not null)) as paid`.execute(
    trx,
  );
  return rows[0]!;
}
