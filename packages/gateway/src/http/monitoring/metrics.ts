import type { Liquidity } from '@crypto-checkout/chains/adapter';
import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { readLiquidity } from './liquidity.ts';
import { createServer, type Server } from 'node:http';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { countUntraced } from '../../engine/untraced/store.ts';
import { bind } from '../bind.ts';
import { readChainStates, type ChainState } from './chain-state.ts';

interface Gauge {
  name: string;
  help: string;
  values: { labels: Record<string, string>; value: number }[];
}

/**
 * Serves Prometheus metrics on a loopback port of their own, never on the public one.
 * @returns null when the port is 0
 */
export async function serveMetrics(context: Context): Promise<Server | null> {
  const { metricsPort } = context.config;
  if (metricsPort === 0) return null;
  const startedAt = context.clock.real();
  const server = createServer((request, response) => {
    if (!isLoopbackHost(request.headers.host)) {
      response.writeHead(403).end();
      return;
    }
    answer(context, request.url ?? '', startedAt).then(
      ({ status, text }) =>
        response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  await bind(server, { host: '127.0.0.1', port: metricsPort, setting: 'METRICS_PORT' });
  return server;
}

/** A page of another site could let its own name point here, and read the figures. */
const isLoopbackHost = (host = ''): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host);

async function answer(
  context: Context,
  path: string,
  startedAt: number,
): Promise<{ status: number; text: string }> {
  return path === '/metrics'
    ? { status: 200, text: await renderMetrics(context, startedAt) }
    : { status: 404, text: '' };
}

/** @param startedAt real time of the start of this process. Default: now */
export async function renderMetrics(
  context: Context,
  startedAt = context.clock.real(),
): Promise<string> {
  return [...(await collect(context)), ...(await collectChains(context, startedAt))]
    .map(render)
    .join('');
}

const CALLBACK_STATES = ['pending', 'delivered', 'failed'] as const;

async function collect({ db, clock }: Context): Promise<Gauge[]> {
  const one = (value: number): Gauge['values'] => [{ labels: {}, value }];
  const { rows } = await sql<{ state: string; count: number; oldest: number | null }>`
    select state, count(*) as count, extract(epoch from min(created_at_real))::float8 as oldest from callback group by state`.execute(
    db,
  );
  const waiting = rows.find(({ state }) => state === 'pending');
  const { rows: invoices } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from invoice where status in ('new', 'pending', 'paid') group by status`.execute(
    db,
  );
  const { rows: payouts } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from payout
    where status in ('scheduled', 'awaiting_funds', 'awaiting_policies', 'queued', 'new') group by status
    union all select 'draft', count(*) from payout where status = 'draft'`.execute(db);
  const { rows: counts } = await sql<{ alarms: number; unassigned: number }>`
    select (select count(*) from alarm) as alarms, (select count(*) from unassigned where settled_at is null) as unassigned`.execute(
    db,
  );
  const memory = process.memoryUsage();
  return [
    gauge(
      'callbacks',
      'Callbacks by state.',
      CALLBACK_STATES.map((state) => ({
        labels: { state },
        value: rows.find((row) => row.state === state)?.count ?? 0,
      })),
    ),
    gauge(
      'waiting_payouts',
      'Payouts that are not sent yet, by status.',
      payouts.map(({ status, count }) => ({ labels: { status }, value: count })),
    ),
    gauge(
      'callback_oldest_seconds',
      'Age of the oldest callback that waits.',
      one(waiting?.oldest ? clock.real() / 1000 - waiting.oldest : 0),
    ),
    gauge(
      'open_invoices',
      'Invoices that wait for something, by status.',
      invoices.map(({ status, count }) => ({ labels: { status }, value: count })),
    ),
    gauge('alarms', 'Alarms that an operator must look at.', one(counts[0]?.alarms ?? 0)),
    gauge(
      'unassigned_payments',
      'Payments that no invoice explains.',
      one(counts[0]?.unassigned ?? 0),
    ),
    gauge('resident_memory_bytes', 'Memory of the process.', one(memory.rss)),
  ];
}

async function collectChains(context: Context, startedAt: number): Promise<Gauge[]> {
  const states = [...(await readChainStates(context, startedAt))];
  const each = (read: (state: ChainState) => number | null): Gauge['values'] =>
    states.flatMap(([chain, state]) => {
      const value = read(state);
      return value === null ? [] : [{ labels: { chain }, value }];
    });
  const untraced = await countUntraced(context.db);
  const liquidity = [...(await readLiquidity(context))];
  const part = (read: (liquidity: Liquidity) => Amount): Gauge['values'] =>
    liquidity.map(([chain, value]) => ({
      labels: { chain },
      value: Number(formatAmount(read(value))),
    }));
  return [
    gauge(
      'chain_receivable',
      'Bitcoins that the channels of the lightning node can receive now.',
      part(({ receivable }) => receivable),
    ),
    gauge(
      'chain_sendable',
      'Bitcoins that the channels of the lightning node can send now.',
      part(({ sendable }) => sendable),
    ),
    gauge(
      'chain_up',
      'Whether the chain answers and its scan goes on.',
      each(({ ok }) => (ok ? 1 : 0)),
    ),
    gauge(
      'chain_scanned_height',
      'Height up to which payments were looked for.',
      each(({ scanned_height }) => scanned_height),
    ),
    gauge(
      'chain_scan_age_seconds',
      'Time since the last successful scan.',
      each(({ scanned_age_seconds }) => scanned_age_seconds),
    ),
    gauge(
      'chain_untraced_blocks',
      'Blocks that wait for their traces: payments by contracts can be missing in them.',
      [...context.chains.values()].flatMap(({ chain, traceBlock }) =>
        traceBlock === undefined ? [] : [{ labels: { chain }, value: untraced.get(chain) ?? 0 }],
      ),
    ),
    gauge(
      'chain_tip',
      "Height of the node's newest block.",
      each(({ tip }) => tip),
    ),
  ];
}

const gauge = (name: string, help: string, values: Gauge['values']): Gauge => ({
  name: `crypto_checkout_${name}`,
  help,
  values,
});

function render({ name, help, values }: Gauge): string {
  const lines = values.map(({ labels, value }) => {
    const list = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${list.length > 0 ? `{${list.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}
