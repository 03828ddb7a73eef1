import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { fromUnits, toUnits, type Amount } from '@crypto-checkout/protocol/amount';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { UnavailableError } from '../error.ts';
import type {
  ChainSender,
  Planned,
  PlanRequest,
  SendOutput,
  SentTransaction,
  SignedTransaction,
  TransactionStatus,
} from '../sender.ts';
import { decodeBolt11, type DecodedBolt11 } from './bolt11.ts';
import { millisatoshi, MSAT_DECIMALS } from './payment-request.ts';
import type { LndPayment } from './lnd/answers.ts';
import { ALREADY_PAID, failureOf, payPlan, readPlan } from './lnd/broadcast.ts';
import { LndError } from './lnd/failure.ts';
import type { LndPayer, PaymentState } from './lnd/payer.ts';
import { requestEnd } from './request-end.ts';

export interface LightningSenderOptions {
  payer: LndPayer;
  /** Highest routing fee, in percent of the amount. */
  feeLimit: Amount;
  /** Business time in milliseconds. */
  now: () => number;
  /** Hands a plan to the node, in another process. Default: `payer` does. */
  pay?: ChainSender['broadcast'];
}

/** Small payments cost more than a share of their amount. */
const LEAST_FEE_MSAT = 5_000n;

/** Creates the sender of a lightning node. A payment has the hash of its request as its id. */
export function createLightningSender({
  payer,
  feeLimit,
  now,
  pay = (raw, earlier) => payPlan(payer, readPlan(raw), earlier),
}: LightningSenderOptions): ChainSender {
  return {
    chain: 'lightning',
    kinds: KINDS.filter(({ chain }) => chain === 'lightning').map(({ kind }) => kind),
    maxOutputs: 1,
    lane: null,
    async estimate({ outputs }) {
      const fee = fromUnits(feeLimitMsat(outputs, feeLimit), MSAT_DECIMALS);
      return { fee, reserve: fee };
    },
    plan: (request) => plan(payer, request, feeLimit),
    broadcast: pay,
    lookUp: (sent) => lookUp(payer, sent, now()),
  };
}

/** One percent is 10¹⁸ of `Amount`. */
const PERCENT = 100n * 10n ** 18n;

function feeLimitMsat(outputs: readonly SendOutput[], percent: Amount): bigint {
  const amount = outputs.reduce((total, output) => total + millisatoshi(output.amount), 0n);
  const share = (amount * percent) / PERCENT;
  return share > LEAST_FEE_MSAT ? share : LEAST_FEE_MSAT;
}

const refused = (reason: string): Planned => ({ type: 'refused', reason });

async function plan(
  payer: LndPayer,
  { outputs, feeReserve }: PlanRequest,
  feeLimit: Amount,
): Promise<Planned> {
  const [output] = outputs;
  if (output?.paymentRequest == null || outputs.length > 1)
    return refused('A lightning payout pays one request');
  const request = decodeBolt11(output.paymentRequest);
  const amountMsat = millisatoshi(output.amount);
  if (request.paymentHash !== output.address || !hasAmount(request, amountMsat))
    return refused('The lightning request does not match the payout');
  const known = await payer.track(request.paymentHash);
  if (known !== null && known.status !== 'FAILED') return refused(ALREADY_PAID);
  const held = toUnits(feeReserve, MSAT_DECIMALS);
  const limit = feeLimitMsat(outputs, feeLimit);
  const { sendable } = await payer.channels();
  if (amountMsat > sendable * 1_000n)
    return {
      type: 'wait',
      reason: 'the channels of the lightning node can send less than a payout needs',
    };
  return {
    type: 'plan',
    nonce: null,
    plan: {
      family: 'lightning',
      paymentRequest: output.paymentRequest,
      paymentHash: request.paymentHash,
      amountMsat: String(amountMsat),
      feeLimitMsat: String(held < limit ? held : limit),
    },
  };
}

const hasAmount = ({ amountMsat }: DecodedBolt11, wanted: bigint): boolean =>
  amountMsat === null || amountMsat === wanted;

async function lookUp(
  payer: LndPayer,
  { attempts, wasAccepted = false }: SentTransaction,
  now: number,
): Promise<TransactionStatus> {
  const [attempt] = attempts;
  if (attempt === undefined) return { state: 'unseen' };
  const payment = await track(payer, attempt.txid);
  if (payment === null) return withoutRecord(attempt, wasAccepted, now);
  if (payment.isSearchOnly === true) return { state: 'unseen' };
  switch (payment.status) {
    case 'SUCCEEDED':
      return paid(attempt.txid, payment);
    case 'FAILED':
      return { state: 'impossible', reason: failureOf(payment) };
    case 'IN_FLIGHT':
    case 'INITIATED':
    case 'UNKNOWN':
      return { state: 'mempool', txid: attempt.txid };
    default:
      throw new Error(`Unknown status ${String(payment.status satisfies never)}`);
  }
}

async function track(payer: LndPayer, paymentHash: string): Promise<PaymentState | null> {
  try {
    return await payer.track(paymentHash);
  } catch (error) {
    if (error instanceof LndError) throw new UnavailableError(`LND answers "${error.message}"`);
    throw error;
  }
}

/** The preimage proves that the recipient was paid; without it the outcome stays open. */
function paid(txid: string, payment: LndPayment): TransactionStatus {
  if (!isPreimage(payment.payment_preimage, txid))
    throw new UnavailableError('The node shows a payment without its proof');
  return {
    state: 'block',
    txid,
    height: payment.payment_index,
    hash: txid,
    confirmations: 1,
    fee: fromUnits(payment.fee_msat, MSAT_DECIMALS),
    succeeded: true,
    reason: null,
  };
}

const isPreimage = (preimage: string, hash: string): boolean =>
  /^[0-9a-f]{64}$/i.test(preimage) &&
  hex.encode(sha256(hex.decode(preimage.toLowerCase()))) === hash;

/**
 * No record is no failure: payments were deleted on the node, it was restored from a backup, or
 * another node has the payment. So a payment that a node began, or may have begun, never fails by
 * absence. A request that the node surely never got is not asked for here: the caller stores each
 * try before it makes it, and the node refuses the first try of a request that ran out.
 */
function withoutRecord(
  { raw }: SignedTransaction,
  wasAccepted: boolean,
  now: number,
): TransactionStatus {
  if (wasAccepted) return { state: 'unseen', lost: LOST_RECORD };
  const isOver = now > requestEnd(readPlan(raw).paymentRequest);
  return isOver ? { state: 'unseen', lost: MAY_BE_PAID } : { state: 'unseen' };
}

const LOST_RECORD = 'the lightning node had begun it, and has no record of it any more';
const MAY_BE_PAID =
  'the lightning node may have begun it, and has no record of it after its request ran out';
