import { base64, hex } from '@scure/base';
import { z } from 'zod';
import * as answers from './answers.ts';
import type { LndInvoice, NodeInfo } from './answers.ts';
import { LndError } from './failure.ts';
import type { LndStream } from './response.ts';
import type { LndRest } from './rest.ts';

/** Channels that can be used now, in satoshis. */
export interface Channels {
  count: number;
  /** All together can receive this much; a payment can be split over them. */
  receivable: bigint;
  sendable: bigint;
}

export interface NewInvoice {
  /** Null: the payer chooses. */
  amountMsat: bigint | null;
  expirySeconds: number;
  memo: string;
  /** In hex; used instead of the memo. */
  descriptionHash: string | null;
  /** The text with that hash. */
  hashed: string | null;
}

/** Calls of a node that receiving needs, in LND's terms. */
export interface LndNode {
  info(): Promise<NodeInfo>;
  addInvoice(invoice: NewInvoice): Promise<{ paymentHash: string; paymentRequest: string }>;
  /** Invoices in the order in which they were made, after this index. */
  invoicesAfter(addIndex: number, limit: number): Promise<LndInvoice[]>;
  /** Index of the newest invoice; 0 without one. */
  newestIndex(): Promise<number>;
  /** The newest invoices, oldest first. */
  newestInvoices(limit: number): Promise<LndInvoice[]>;
  /**
   * Invoices that are settled after this index, then news of every invoice. Index 0 gives only the
   * news.
   */
  subscribe(
    settleIndex: number,
    onInvoice: (invoice: LndInvoice) => void,
    onEnd: (error: Error | null) => void,
  ): Promise<LndStream>;
  channels(): Promise<Channels>;
  /**
   * Refuses payments to an open invoice from now on. An invoice that was paid, or is unknown, is
   * left.
   */
  cancelInvoice(paymentHash: string): Promise<void>;
}

const toBase64 = (digits: string): string => base64.encode(hex.decode(digits));

/** The calls of a node for receiving, by its REST client. */
export function createLndNode(rest: LndRest): LndNode {
  const list = async (query: string): Promise<LndInvoice[]> => {
    const path = `/v1/invoices?${query}`;
    return (await rest.call({ path, answer: answers.invoiceList })).invoices;
  };
  return {
    info: () => rest.call({ path: '/v1/getinfo', answer: answers.nodeInfo }),
    async addInvoice({ amountMsat, expirySeconds, memo, descriptionHash }) {
      const { r_hash, payment_request } = await rest.call({
        method: 'POST',
        path: '/v1/invoices',
        body: {
          value_msat: String(amountMsat ?? 0n),
          expiry: String(expirySeconds),
          // Channels that are not announced can be paid only with a hint of their route.
          private: true,
          ...(descriptionHash === null
            ? { memo }
            : { description_hash: toBase64(descriptionHash) }),
        },
        answer: answers.addedInvoice,
      });
      return { paymentHash: r_hash, paymentRequest: payment_request };
    },
    invoicesAfter: (addIndex, limit) => list(`index_offset=${addIndex}&num_max_invoices=${limit}`),
    newestIndex: async () =>
      (await list('reversed=true&num_max_invoices=1')).at(-1)?.add_index ?? 0,
    newestInvoices: (limit) => list(`reversed=true&num_max_invoices=${limit}`),
    subscribe: (settleIndex, onInvoice, onEnd) =>
      rest.stream(
        { path: `/v1/invoices/subscribe?settle_index=${settleIndex}`, answer: answers.invoice },
        onInvoice,
        onEnd,
      ),
    channels: () => readChannels(rest),
    async cancelInvoice(paymentHash) {
      const body = { payment_hash: toBase64(paymentHash) };
      try {
        await rest.call({
          method: 'POST',
          path: '/v2/invoices/cancel',
          body,
          answer: z.object({}),
        });
      } catch (error) {
        if (!(error instanceof LndError) || !HAS_ENDED.test(error.message)) throw error;
      }
    },
  };
}

/** LND's words for an invoice that was paid or cancelled, and for one that it does not have. */
const HAS_ENDED = /already (?:settled|canceled)|unable to locate invoice/i;

export async function readChannels(rest: LndRest): Promise<Channels> {
  const path = '/v1/channels?active_only=true';
  const { channels } = await rest.call({ path, answer: answers.channelList });
  return {
    count: channels.length,
    receivable: sum(channels, ({ remote_balance, remote_constraints }) => [
      remote_balance,
      remote_constraints.chan_reserve_sat,
    ]),
    sendable: sum(channels, ({ local_balance, local_constraints }) => [
      local_balance,
      local_constraints.chan_reserve_sat,
    ]),
  };
}

/** Each side must keep its reserve in each channel (BOLT 2). */
function sum<T>(channels: readonly T[], read: (channel: T) => [bigint, bigint]): bigint {
  return channels.reduce((total, channel) => {
    const [balance, reserve] = read(channel);
    return total + (balance > reserve ? balance - reserve : 0n);
  }, 0n);
}
