import { randomUUID } from 'node:crypto';
import type { LndInvoice, NodeInfo } from '../lnd/answers.ts';
import { LndError } from '../lnd/failure.ts';
import type { Channels, LndNode } from '../lnd/node.ts';
import type { LndStream } from '../lnd/response.ts';
import * as answers from './answers.ts';
import type { ClnInvoice } from './answers.ts';
import type { ClnRest } from './rest.ts';

/** Error codes of Core Lightning. */
const NO_INVOICE_IN_TIME = 904;
const NO_SUCH_INVOICE = 905;
const OTHER_STATUS = 906;
/** A long poll is asked again after this time, so that a silent connection is noticed. */
const WAIT_SECONDS = 25;

const NETWORKS: Readonly<Record<string, string>> = { bitcoin: 'mainnet' };

/**
 * The calls of a Core Lightning node for receiving, in LND's terms: its pay index is the settle
 * index.
 */
export function createClnNode(rest: ClnRest): LndNode {
  const list = async (body: object): Promise<LndInvoice[]> => {
    const { invoices } = await rest.call('listinvoices', body, answers.invoiceList);
    return invoices.map(translated);
  };
  async function newestIndex(): Promise<number> {
    const body = { subsystem: 'invoices', indexname: 'created', nextvalue: 0 };
    return (await rest.call('wait', body, answers.invoiceIndex)).created ?? 0;
  }
  return {
    info: () => readInfo(rest),
    async addInvoice({ amountMsat, expirySeconds, memo, hashed }) {
      const { payment_hash, bolt11 } = await rest.call(
        'invoice',
        {
          amount_msat: amountMsat === null ? 'any' : Number(amountMsat),
          label: randomUUID(),
          expiry: expirySeconds,
          description: hashed ?? memo,
          // Channels that are not announced can be paid only with a hint of their route.
          exposeprivatechannels: true,
          ...(hashed !== null && { deschashonly: true }),
        },
        answers.addedInvoice,
      );
      return { paymentHash: payment_hash, paymentRequest: bolt11 };
    },
    invoicesAfter: (addIndex, limit) => list({ index: 'created', start: addIndex + 1, limit }),
    newestIndex,
    async newestInvoices(limit) {
      const start = Math.max(1, (await newestIndex()) - limit + 1);
      return list({ index: 'created', start, limit });
    },
    subscribe: (settleIndex, onInvoice, onEnd) => follow(rest, settleIndex, onInvoice, onEnd),
    channels: () => readClnChannels(rest),
    cancelInvoice: (paymentHash) => deleteInvoice(rest, paymentHash),
  };
}

async function readInfo(rest: ClnRest): Promise<NodeInfo> {
  const info = await rest.call('getinfo', {}, answers.nodeInfo);
  return {
    version: info.version,
    identity_pubkey: info.id,
    synced_to_chain:
      info.warning_bitcoind_sync === undefined && info.warning_lightningd_sync === undefined,
    block_height: info.blockheight,
    chains: [{ network: NETWORKS[info.network] ?? info.network }],
  };
}

const translated = (invoice: ClnInvoice): LndInvoice => ({
  r_hash: invoice.payment_hash,
  state: STATES[invoice.status],
  add_index: invoice.created_index,
  settle_index: invoice.pay_index ?? 0,
  settle_date: invoice.paid_at ?? 0,
  amt_paid_msat: invoice.amount_received_msat ?? 0n,
});

const STATES = { unpaid: 'OPEN', paid: 'SETTLED', expired: 'CANCELED' } as const;

/** Polls long for one paid invoice after another. */
async function follow(
  rest: ClnRest,
  settleIndex: number,
  onInvoice: (invoice: LndInvoice) => void,
  onEnd: (error: Error | null) => void,
): Promise<LndStream> {
  const closing = new AbortController();
  const { signal } = closing;
  let after = settleIndex;

  /** @returns whether there was one */
  async function next(seconds: number): Promise<boolean> {
    try {
      const body = { lastpay_index: after, timeout: seconds };
      const options = { waitMs: seconds * 1_000, signal };
      const paid = translated(await rest.call('waitanyinvoice', body, answers.invoice, options));
      if (signal.aborted) return false;
      after = Math.max(after, paid.settle_index);
      onInvoice(paid);
      return true;
    } catch (error) {
      if (error instanceof LndError && error.code === NO_INVOICE_IN_TIME) return false;
      throw error;
    }
  }
  // Those that were paid before, without a wait; a refusal ends the opening.
  while (await next(0));
  void (async () => {
    try {
      while (!signal.aborted) await next(WAIT_SECONDS);
    } catch (error) {
      if (!signal.aborted) onEnd(error instanceof Error ? error : new Error(String(error)));
    }
  })();
  return { close: () => closing.abort() };
}

export async function readClnChannels(rest: ClnRest): Promise<Channels> {
  const { channels } = await rest.call('listpeerchannels', {}, answers.channelList);
  const usable = channels.filter(
    ({ state, peer_connected }) => state === 'CHANNELD_NORMAL' && peer_connected,
  );
  const sum = (read: (channel: (typeof usable)[number]) => bigint | undefined): bigint =>
    usable.reduce((total, channel) => total + (read(channel) ?? 0n), 0n) / MSAT;
  return {
    count: usable.length,
    receivable: sum(({ receivable_msat }) => receivable_msat),
    sendable: sum(({ spendable_msat }) => spendable_msat),
  };
}

const MSAT = 1_000n;

/** A request whose invoice is deleted is refused. One that was paid is left. */
async function deleteInvoice(rest: ClnRest, paymentHash: string): Promise<void> {
  const body = { payment_hash: paymentHash };
  const { invoices } = await rest.call('listinvoices', body, answers.invoiceList);
  const [invoice] = invoices;
  if (invoice?.status !== 'unpaid') return;
  try {
    await rest.call('delinvoice', { label: invoice.label, status: 'unpaid' }, answers.invoice);
  } catch (error) {
    const hasEnded =
      error instanceof LndError && [NO_SUCH_INVOICE, OTHER_STATUS].includes(error.code);
    if (!hasEnded) throw error;
  }
}
