import { Hono, type Context as HonoContext } from 'hono';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { CHAINS, kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { RISK_LEVELS } from '@crypto-checkout/protocol/status';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { validate } from '../http/payload.ts';
import { RING_SIZE } from '@crypto-checkout/chains/cursor';
import { isMovable } from './clock.ts';
import { invoiceOfAddress, payInvoice } from './pay.ts';
import { createSandboxWorld } from './world.ts';

const MAX_BODY_BYTES = 65_536;
const YEAR_SECONDS = 366 * 24 * 60 * 60;
/**
 * A scan must find a block that its cursor holds, so a deeper reorganisation would stop it for
 * good.
 */
const MAX_DEPTH = RING_SIZE - 1;
/**
 * Lightning requests have 35 bits for their time, which end in 3058; quotes extend beyond the
 * present.
 */
const LAST_TIME = Date.UTC(3000, 0, 1);

const amount = z.union([z.string(), z.number().transform(String)]);
const txid = z.string().min(1).max(128);
const kind = z.string().max(40);
const schemas = {
  pay: z
    .strictObject({
      invoice_id: z.string().min(1).max(64).optional(),
      address: z.string().min(1).max(128).optional(),
      amount: amount.optional(),
      kind: kind.optional(),
      outputs: z.array(amount).min(1).max(100).optional(),
      tag: z
        .string()
        .regex(/^\d{1,10}$/, 'must be digits, or null for no tag')
        .nullable()
        .optional(),
      risk: z.enum(RISK_LEVELS).optional(),
      replaceable: z.boolean().optional(),
    })
    .refine(({ invoice_id, address }) => (invoice_id === undefined) !== (address === undefined), {
      path: ['invoice_id'],
      error: 'state invoice_id or address, and not both',
    }),
  mine: z.strictObject({ kind, blocks: z.int().min(1).max(1_000) }),
  replace: z.strictObject({ txid, pays_us: z.boolean() }),
  drop: z.strictObject({ txid }),
  fail: z.strictObject({ txid }),
  reorg: z.strictObject({
    kind,
    depth: z.int().min(1).max(MAX_DEPTH),
    drop: z.boolean().default(false),
  }),
  clock: z.strictObject({
    advance_seconds: z
      .int()
      .min(0)
      .max(10 * YEAR_SECONDS),
  }),
};

/** Whether no real money is involved: every chain is simulated or a test network. */
export function isSandboxAllowed(context: Pick<Context, 'chains'>): boolean {
  return [...context.chains.values()].every(({ network }) => network === 'testnet');
}

/**
 * Control of the simulated chains and of business time, mounted at `/sandbox`. Unsigned, on
 * loopback only, and never beside a main network. A call returns when all its effects are
 * committed.
 * @param settle scans every chain, expires due invoices and queues the callbacks
 */
export function sandboxRoutes(
  context: Context,
  settle: (context: Context) => Promise<unknown>,
): Hono<Env> {
  const app = new Hono<Env>({ strict: false });
  if (!isSandboxAllowed(context)) return app;
  const world = createSandboxWorld(context);
  const route = <T, R extends object>(
    path: string,
    schema: z.ZodType<T>,
    act: (body: T) => Promise<R>,
  ): void => {
    app.post(path, async (c) => {
      checkCaller(c);
      const body = validate(schema, await readJson(c));
      if (isMovable(context.clock)) await context.clock.read();
      const result = await act(body);
      await settle(context);
      return c.json(result);
    });
  };
  route('/pay', schemas.pay, async ({ invoice_id: id, address, ...options }) => {
    const invoiceId = id ?? (await invoiceOfAddress(context.db, address ?? ''));
    return payInvoice(context, world, { invoiceId, ...options });
  });
  route('/mine', schemas.mine, ({ kind, blocks }) => world.mine(simulated(context, kind), blocks));
  route('/replace', schemas.replace, (body) => world.replace(body.txid, body.pays_us));
  route('/drop', schemas.drop, (body) => world.drop(body.txid).then(() => ({ txid: body.txid })));
  route('/fail', schemas.fail, (body) => world.fail(body.txid).then(() => ({ txid: body.txid })));
  route('/reorg', schemas.reorg, ({ kind, depth, drop }) =>
    world.reorganise(simulated(context, kind), depth, drop),
  );
  route('/clock', schemas.clock, async (body) => {
    if (!isMovable(context.clock))
      throw new ServiceError('InvalidState', 'The clock of this service can’t be moved.');
    if (context.clock.now() + body.advance_seconds * 1000 > LAST_TIME)
      throw new ServiceError(
        'InvalidState',
        `The clock can't be moved beyond ${timestamp(LAST_TIME)}.`,
      );
    await context.clock.moveBy(body.advance_seconds * 1000);
    return { now: timestamp(context.clock.now()) };
  });
  return app;
}

/** Headers of proxies: behind one on this machine, requests from anywhere come from loopback. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * Both the socket and the host name must be loopback, because a page of another site could let its
 * own name point here. The content type blocks forms of other sites; without CORS headers their
 * scripts cannot call it.
 */
function checkCaller(c: HonoContext<Env>): void {
  const address = c.env?.incoming?.socket.remoteAddress ?? c.get('caller')?.address ?? '127.0.0.1';
  const isLoopback = ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
  const { hostname } = new URL(c.req.url);
  const isForwarded = PROXY_HEADERS.some((name) => c.req.header(name) !== undefined);
  if (isForwarded || !isLoopback || !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) {
    throw new ServiceError('IpNotAllowed', 'Sandbox control answers on loopback only.');
  }
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new ServiceError(
      'ValidationError',
      'Sandbox control needs the header content-type: application/json.',
    );
  }
}

async function readJson(c: HonoContext<Env>): Promise<unknown> {
  if (Number(c.req.header('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const text = await c.req.text();
  if (text.length > MAX_BODY_BYTES) throw tooLarge();
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ServiceError('ValidationError', 'The body is not JSON.', { cause });
  }
}

function tooLarge(): ServiceError {
  return new ServiceError('PayloadTooLarge', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}

function simulated(context: Context, kind: string): ChainId {
  const chain = kindOf(kind)?.chain;
  if (chain === undefined)
    throw new ServiceError('ValidationError', `"${kind}" is not a kind.`, {
      errors: [{ field: 'kind', message: 'not a kind' }],
    });
  if (context.chains.get(chain)?.source !== 'sandbox')
    throw new ServiceError('InvalidState', `${CHAINS[chain].name} is not simulated here.`);
  return chain;
}
