import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import type { Hono } from 'hono';
import { z } from 'zod';
import { readJson } from '../http/body.ts';
import { spend } from '../http/rate-limits.ts';
import { HttpError, invalid, notFound, unavailable } from '../http/http-error.ts';
import type { CheckoutRouteServices } from '../checkouts/route-services.ts';
import type { Log } from '../options.ts';
import { publicKeyOf } from './address.ts';
import type { SolanaNode } from './node.ts';
import { MAX_UNITS, transferOf } from './transfer.ts';

export interface SolanaRouteServices extends Pick<
  CheckoutRouteServices,
  'limits' | 'origins' | 'addressOf' | 'steady' | 'resolver' | 'presenter' | 'headers'
> {
  /** Null without SOLANA_RPC_URL. */
  solana: SolanaNode | null;
  log: Log;
}

const MAX_BODY = 1024;
const Payer = z.object({ account: z.string().min(32).max(44) });

/**
 * A payment as a transaction that a Solana wallet only has to sign, as in transaction requests of
 * Solana Pay. `GET` reports whether one is available, `POST {account}` creates it for the wallet's
 * account. Available only with SOLANA_RPC_URL.
 */
export function solanaRoutes(
  app: Hono,
  {
    limits,
    origins,
    addressOf,
    steady,
    resolver,
    presenter,
    solana,
    headers,
    log,
  }: SolanaRouteServices,
): void {
  if (!solana) return;

  app.get('/checkouts/:id/solana', async (c) => {
    spend(limits.read, addressOf(c), steady());
    const { view } = presenter.present(await resolver.resolve(c.req.param('id')));
    requestOf(view);
    return c.json({ label: view.merchant.name }, 200, { ...headers.json, ...origins.headers(c) });
  });

  app.post('/checkouts/:id/solana', async (c) => {
    origins.requireKnown(c);
    spend(limits.write, addressOf(c), steady());
    const { view } = presenter.present(await resolver.resolve(c.req.param('id')));
    const request = requestOf(view);
    const { account } = await readJson(c, Payer, MAX_BODY);
    const payer = publicKeyOf(account);
    if (!payer) throw invalid('account', 'account must be a public key of 32 bytes in base58.');
    const blockhash = await solana.recentBlockhash().catch((error: unknown) => {
      log.warn({ event: 'solana_node_failed', err: error }, 'request to the Solana node failed');
      throw unavailable(error);
    });
    const transaction = transferOf({ ...request, payer, blockhash });
    const base64 = btoa(String.fromCodePoint(...transaction));
    const { amount } = view.payment!.strings;
    return c.json({ transaction: base64, message: `${amount} ${view.payment!.symbol}` }, 200, {
      ...headers.json,
      ...origins.headers(c),
    });
  });
}

/** Reads amount and recipient from the payment link: it is the single source for all wallets. */
function requestOf({ stage, payment, server_time }: Checkout) {
  const link = payment?.strings.link ?? '';
  const kind = payment && kindOf(payment.kind);
  if (!payment || !kind || !link.startsWith('solana:')) throw notFound();
  const query = new URLSearchParams(link.split('?')[1]);
  const [amount, mint] = [query.get('amount'), query.get('spl-token')];
  const recipient = publicKeyOf(link.slice('solana:'.length).split('?')[0]!);
  const token = mint === null ? null : publicKeyOf(mint);
  if (!recipient || (mint !== null && !token))
    throw new Error(`the link of ${payment.kind} contains no public key: ${link}`);
  const over =
    payment.expires_at !== null && Date.parse(payment.expires_at) <= Date.parse(server_time);
  if (!OPEN_STAGES.includes(stage) || over || amount === null)
    throw new HttpError(409, 'InvalidState', 'No fixed amount is due now.');
  const units = toUnits(parseAmount(amount), kind.decimals);
  if (units > MAX_UNITS)
    throw new HttpError(409, 'InvalidState', 'The amount exceeds the maximum of one transfer.');
  return { recipient, units, token: token && { mint: token, decimals: kind.decimals } };
}
