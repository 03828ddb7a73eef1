import { ldk, someOf } from './ldk-node.ts';
import type { BookedInvoice, BookedPayment } from './lnd-book.ts';

const base64 = (digits: string): string => Buffer.from(digits, 'hex').toString('base64');
const ZEROS = '00'.repeat(32);

/** `lnrpc.Invoice` */
export function invoiceAnswer(invoice: BookedInvoice): object {
  const { hash, state, msat, paidMsat } = invoice;
  return {
    memo: invoice.memo,
    r_preimage: base64(state === 'SETTLED' ? invoice.preimage! : ZEROS),
    r_hash: base64(hash),
    value: String(msat / 1_000n),
    value_msat: String(msat),
    settled: state === 'SETTLED',
    creation_date: String(invoice.createdAt),
    settle_date: String(invoice.settledAt),
    payment_request: invoice.request,
    description_hash: base64(invoice.descriptionHash ?? ''),
    expiry: String(invoice.expiry),
    fallback_addr: '',
    cltv_expiry: '80',
    route_hints: [],
    private: false,
    add_index: String(invoice.addIndex),
    settle_index: String(invoice.settleIndex),
    amt_paid: String(paidMsat),
    amt_paid_sat: String(paidMsat / 1_000n),
    amt_paid_msat: String(paidMsat),
    state,
    htlcs: [],
    features: {},
    is_keysend: false,
    payment_addr: base64(ZEROS),
    is_amp: false,
    amp_invoice_state: {},
    is_blinded: false,
    blinded_path_config: null,
  };
}

/** `lnrpc.Payment` */
export function paymentAnswer(payment: BookedPayment): object {
  const { msat, feeMsat, createdAt } = payment;
  return {
    payment_hash: payment.hash,
    value: String(msat / 1_000n),
    creation_date: String(createdAt),
    fee: String(feeMsat / 1_000n),
    payment_preimage: payment.preimage ?? ZEROS,
    value_sat: String(msat / 1_000n),
    value_msat: String(msat),
    payment_request: payment.request,
    status: payment.status,
    fee_sat: String(feeMsat / 1_000n),
    fee_msat: String(feeMsat),
    creation_time_ns: String(BigInt(createdAt) * 1_000_000_000n),
    htlcs: [],
    payment_index: String(payment.index),
    failure_reason: payment.reason,
    first_hop_custom_records: {},
  };
}

const satoshi = (msat: bigint): string => String(msat / 1_000n);

/** LDK's booleans are numbers in truth. */
const isTrue = (value: unknown): boolean => Boolean(value);

/** `lnrpc.Channel` */
export function channelAnswer(channel: ldk.ChannelDetails): object {
  const ownReserve = someOf<bigint>(channel.get_unspendable_punishment_reserve()) ?? 0n;
  const otherReserve = channel.get_counterparty().get_unspendable_punishment_reserve();
  const constraints = (reserve: bigint) => ({
    csv_delay: 144,
    chan_reserve_sat: String(reserve),
    dust_limit_sat: '354',
    max_pending_amt_msat: String(channel.get_channel_value_satoshis() * 1_000n),
    min_htlc_msat: '1',
    max_accepted_htlcs: 483,
  });
  // LDK's capacities are without the reserve, LND's balances are with it.
  return {
    active: isTrue(channel.get_is_usable()),
    remote_pubkey: Buffer.from(channel.get_counterparty().get_node_id()).toString('hex'),
    chan_id: String(someOf<bigint>(channel.get_short_channel_id()) ?? 0n),
    capacity: String(channel.get_channel_value_satoshis()),
    local_balance: String(BigInt(satoshi(channel.get_outbound_capacity_msat())) + ownReserve),
    remote_balance: String(BigInt(satoshi(channel.get_inbound_capacity_msat())) + otherReserve),
    commit_fee: '0',
    unsettled_balance: '0',
    private: !channel.get_is_announced(),
    initiator: isTrue(channel.get_is_outbound()),
    local_constraints: constraints(ownReserve),
    remote_constraints: constraints(otherReserve),
  };
}
