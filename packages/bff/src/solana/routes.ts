import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open';
import type { Hono } from 'hono';
import { z } from 'zod';
import { readJson } from '../http/body.ts';
import { spend } from '../http/limits.ts';
import { Refusal, invalid, notFound, unavailable } from '../http/refusal.ts';
import type { Parts } from '../parts.ts';
import { publicKeyOf } from './address.ts';
import { MAX_UNITS, transferOf } from './transfer.ts';

const MAX_BODY = 1024;
const Payer = z.object({ account: z.string().min(32).max(44) });

/**
 * A payment as a transaction that a Solana wallet only has to sign: `GET` tells whether there is one, `POST {account}` makes it for the
 * wallet's account, as in transaction requests of Solana Pay. Only where the operator has set a node.
 */
export function solanaRoutes(app: Hono, { limits, origins, addressOf, now, resolver, screen, solana, headers, log }: Parts): void {
  if (!solana) return;

  app.get('/checkouts/:id/solana', async (c) => {
    spend(limits.read, addressOf(c), now());
    const { view } = screen.show(await resolver.resolve(c.req.param('id')));
    requestOf(view);
    return c.json({ label: view.merchant.name }, 200, { ...headers.json, ...origins.headers(c) });
  });

  app.post('/checkouts/:id/solana', async (c) => {
    origins.requireKnown(c);
    spend(limits.write, addressOf(c), now());
    const { view } = screen.show(await resolver.resolve(c.req.param('id')));
    const request = requestOf(view);
    const { account } = await readJson(c, Payer, MAX_BODY);
    const payer = publicKeyOf(account);
    if (!payer) throw invalid('account', 'account must be the 32 bytes of a public key in base58.');
    const blockhash = await solana.recentBlockhash().catch((error: unknown) => {
      log.warn({ err: error }, 'the Solana node does not answer');
      throw unavailable(error);
    });
    const transaction = transferOf({ ...request, payer, blockhash });
    const base64 = btoa(String.fromCodePoint(...transaction));
    const { amount } = view.payment!.strings;
    return c.json({ transaction: base64, message: `${amount} ${view.payment!.symbol}` }, 200, { ...headers.json, ...origins.headers(c) });
  });
}

/** What is to be paid, read from the link that every wallet is given: there is no second truth. */
function requestOf({ stage, payment, server_time }: Checkout) {
  const link = payment?.strings.link ?? '';
  const kind = payment && kindOf(payment.kind);
  if (!payment || !kind || !link.startsWith('solana:')) throw notFound();
  const query = new URLSearchParams(link.split('?')[1]);
  const [amount, mint] = [query.get('amount'), query.get('spl-token')];
  const recipient = publicKeyOf(link.slice('solana:'.length).split('?')[0]!);
  const token = mint === null ? null : publicKeyOf(mint);
  if (!recipient || (mint !== null && !token)) throw new Error(`the link of ${payment.kind} names no public key: ${link}`);
  const over = payment.expires_at !== null && Date.parse(payment.expires_at) <= Date.parse(server_time);
  if (!OPEN_STAGES.includes(stage) || over || amount === null)
    throw new Refusal(409, 'InvalidState', 'Nothing of a fixed amount is to be paid now.');
  const units = toUnits(parseAmount(amount), kind.decimals);
  if (units > MAX_UNITS) throw new Refusal(409, 'InvalidState', 'The amount is more than one transfer can have.');
  return { recipient, units, token: token && { mint: token, decimals: kind.decimals } };
}
