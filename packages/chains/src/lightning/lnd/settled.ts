import { UnavailableError } from '../../error.ts';
import type { LndInvoice } from './answers.ts';
import type { LndNode } from './node.ts';
import type { LndStream } from './response.ts';

/** A place in the node's list of settled invoices. */
export interface SettledPosition {
  /** Index of the last settled invoice that was read; 0 before the first. */
  settleIndex: number;
  /** Invoices up to this index are older than the first scan. */
  oldest: number;
}

export interface SettledInvoices {
  /** The settled invoices after a position, in the order of their settlement. */
  after(position: SettledPosition): Promise<LndInvoice[]>;
  /** Calls the listener when an invoice was settled. Returns the function that ends it. */
  onSettled(listener: () => void): () => void;
  close(): void;
}

export interface SettledOptions {
  node: LndNode;
  /** Real time in milliseconds. */
  now: () => number;
  /** Quiet time of a new stream after which its past is read. Default: 150 ms. */
  quietMs?: number;
}

/**
 * A connection can fall silent without an error, so each stream is replaced after this time. The
 * new one begins at the stored position: nothing depends on the old one.
 */
const MAX_AGE_MS = 30_000;
const MAX_BACKLOG_MS = 5_000;
const PAGE = 500;

interface Stream {
  /** It has every invoice that was settled after this index. */
  from: number;
  openedAt: number;
  settled: LndInvoice[];
  lastItemAt: number;
  connection: LndStream | null;
  isOpen: boolean;
}

/**
 * Reads settled invoices by their index. A stream only shortens the wait: it is opened at the
 * stored position, which returns the invoices that were settled meanwhile.
 */
export function createSettledInvoices({
  node,
  now,
  quietMs = 150,
}: SettledOptions): SettledInvoices {
  const listeners = new Set<() => void>();
  let current: Stream | null = null;

  async function open({ settleIndex, oldest }: SettledPosition): Promise<Stream> {
    const opened: Stream = {
      from: settleIndex,
      openedAt: now(),
      settled: [],
      lastItemAt: now(),
      connection: null,
      isOpen: true,
    };
    opened.connection = await node.subscribe(
      settleIndex,
      (invoice) => {
        opened.lastItemAt = now();
        if (invoice.state !== 'SETTLED') return;
        opened.settled.push(invoice);
        for (const listener of listeners) listener();
      },
      () => {
        opened.isOpen = false;
        // The next scan opens a new stream, and reads what the old one missed.
        for (const listener of listeners) listener();
      },
    );
    // LND has no past for index 0, so the first ones are listed.
    if (settleIndex === 0) opened.settled.push(...(await listSettled(node, oldest)));
    else await quiet(opened, quietMs);
    if (!opened.isOpen) throw new UnavailableError('The connection to the node broke');
    return opened;
  }

  const isUsable = (stream: Stream, { settleIndex }: SettledPosition): boolean =>
    stream.isOpen && settleIndex >= stream.from && now() - stream.openedAt < MAX_AGE_MS;

  function close(): void {
    current?.connection?.close();
    current = null;
  }

  return {
    async after(position) {
      if (current !== null && !isUsable(current, position)) close();
      const stream = current ?? (await open(position));
      current = stream;
      stream.settled = inOrder(stream.settled, position.settleIndex);
      stream.from = position.settleIndex;
      return [...stream.settled];
    },
    onSettled(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close,
  };
}

/** Each once, by index. */
function inOrder(settled: readonly LndInvoice[], after: number): LndInvoice[] {
  const byIndex = new Map(settled.map((invoice) => [invoice.settle_index, invoice]));
  return [...byIndex.values()]
    .filter(({ settle_index }) => settle_index > after)
    .toSorted((a, b) => a.settle_index - b.settle_index);
}

/** A stream does not show where its past ends, so a pause is waited for. */
async function quiet(stream: Stream, quietMs: number): Promise<void> {
  const end = Date.now() + MAX_BACKLOG_MS;
  for (let seen = -1; seen < stream.settled.length && stream.isOpen && Date.now() < end;) {
    seen = stream.settled.length;
    await new Promise((resolve) => setTimeout(resolve, quietMs));
  }
}

async function listSettled(node: LndNode, oldest: number): Promise<LndInvoice[]> {
  const settled: LndInvoice[] = [];
  for (let after = oldest; ;) {
    const page = await node.invoicesAfter(after, PAGE);
    settled.push(...page.filter(({ state }) => state === 'SETTLED'));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return settled;
    if (last.add_index <= after)
      throw new UnavailableError('The node repeats its list of invoices');
    after = last.add_index;
  }
}
