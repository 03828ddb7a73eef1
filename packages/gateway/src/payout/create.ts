import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { ChainSender, FeeEstimate, SendRequest } from '../chain/sender.ts';
import { readLying, type Lying } from '../consolidation/lying.ts';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError, UnavailableError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { findProfile as findProfileRow, type ProfileRow } from '../profile/store.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { LedgerError } from '../wallet/post.ts';
import { holdFunds } from './hold.ts';
import { afterNetworkFee, requireModestFee } from './fee.ts';
import { invalid, invalidAddress } from '../http/invalid.ts';
import { lackingOf } from './need.ts';
import { readOrder, type Order } from './order.ts';
import { convert, readRecipient, type Recipient } from './recipient.ts';
import { requireRefillable } from './refill.ts';
import { writtenFingerprintOf } from './same.ts';
import { availableIn, findByDuplicateKey, findPayouts, insertPayout, type NewPayout, type PayoutView, type RecipientRow } from './store.ts';

export interface Creator {
  accountId: string;
  /** Null when the service itself creates it, as for automatic payouts. */
  key: { id: string; maxPayout: string | null } | null;
  /** Limit in USD without a key, above which it is a draft. Default: none. */
  maxPayout?: string | null;
}

export type Created =
  | { type: 'created'; payout: PayoutView }
  /** The same was asked for before. */
  | { type: 'existing'; payout: PayoutView }
  | { type: 'estimate'; payout: PayoutView };

/**
 * Creates a payout (§4.3): priced, checked, and with everything that it can cost held back, all or nothing. It is sent by the
 * worker. The same reference and parameters give the same payout again.
 * @param input the payload, as it came
 * @throws ServiceError for everything that is wrong with it; then nothing was written
 */
export async function createPayout(context: Context, creator: Creator, input: unknown): Promise<Created> {
  const order = readOrder(input, creator.key === null);
  const estimateOnly = order.payload.estimate_only === true;
  const existing = estimateOnly ? null : await findSame(context, creator.accountId, order);
  if (existing) return { type: 'existing', payout: existing };
  const planned = await planPayout(context, creator, order);
  if (estimateOnly) return { type: 'estimate', payout: await estimate(context, planned) };
  const payout = await store(context, planned);
  return payout ? { type: 'created', payout } : { type: 'existing', payout: (await findSame(context, creator.accountId, order))! };
}

/** @throws ServiceError `DuplicateReference` when the reference was used for something else */
async function findSame({ db }: Context, accountId: string, { duplicateKey, fingerprint, payload }: Order): Promise<PayoutView | null> {
  if (duplicateKey === null) return null;
  const found = await findByDuplicateKey(db, accountId, duplicateKey);
  if (found === null || found.fingerprint === fingerprint || found.fingerprint === writtenFingerprintOf(payload)) return found;
  const field = typeof payload.reference_id === 'string' ? 'reference_id' : 'passthrough';
  throw new ServiceError('DuplicateReference', `Another payout has this ${field}, with other parameters: ${found.id}.`, {
    errors: [{ field, message: 'must be unique' }],
  });
}

interface Planned {
  payout: NewPayout;
  recipients: RecipientRow[];
  profile: ProfileRow;
  lying: Lying;
}

async function planPayout(context: Context, creator: Creator, order: Order): Promise<Planned> {
  const { kind, payload } = order;
  const [profile, rates] = await Promise.all([findProfile(context, creator.accountId, payload.profile_id), context.rates.current()]);
  const sender = requireEnabled(context, profile, order);
  const walletId = await findWallet(context, creator.accountId, profile, order);
  if (payload.recipients.length > sender.maxOutputs)
    throw invalid('recipients', `may have ${sender.maxOutputs} for ${kind.kind} here: one transaction has no more`);
  const network = profile.is_testnet ? 'testnet' : 'mainnet';
  const around = { kind, network, stablecoinPrecision: profile.stablecoin_precision, rates } as const;
  const recipients: Recipient[] = [];
  // One after another: each may ask an address of somebody else.
  for (const [at, recipient] of payload.recipients.entries()) recipients.push(await readRecipient(context, recipient, at, around));
  await requireAccounts(profile, sender, recipients);
  const fee = await askFee(sender, requestOf(order, recipients));
  requireModestFee(order, fee, recipients, rates);
  const paid = afterNetworkFee(order, recipients, fee.fee, rates, profile.stablecoin_precision);
  const lying = await readLying(context, kind.chain, walletId);
  return {
    payout: newPayout(context, creator, order, { walletId, fee, rates, gross: recipients, paid }),
    recipients: rowsOf(context, paid),
    profile,
    lying,
  };
}

async function findProfile({ db }: Context, accountId: string, id: string): Promise<ProfileRow> {
  const profile = isUuid(id) ? await findProfileRow(db, accountId, id) : null;
  if (profile) return profile;
  throw new ServiceError('NotFound', 'There is no profile with this profile_id.', {
    errors: [{ field: 'profile_id', message: 'must be the id of a profile of this account' }],
  });
}

/** The kind is on in the profile, and its chain can send it. The words are what published clients look for. */
function requireEnabled({ senders, chains }: Context, profile: ProfileRow, { kind }: Order): ChainSender {
  const sender = senders.get(kind.chain);
  const isEnabled = profile.currencies.some((currency) => kind.enabledBy.includes(currency.kind));
  const network = profile.is_testnet ? 'testnet' : 'mainnet';
  if (isEnabled && sender?.kinds.includes(kind.coin.kind) && chains.get(kind.chain)?.network === network) return sender;
  throw new ServiceError('CurrencyNotEnabled', `The profile doesn't support selected payment currency: ${kind.kind}.`, {
    errors: [{ field: 'kind', message: 'must be enabled in the profile' }],
  });
}

async function findWallet({ db }: Context, accountId: string, profile: ProfileRow, { kind, payload }: Order): Promise<string> {
  if (typeof payload.wallet_id !== 'string') {
    const entry = kind.enabledBy
      .map((name) => profile.currencies.find((currency) => currency.kind === name))
      .find((found) => found !== undefined);
    return entry!.wallet_id;
  }
  const wallet = isUuid(payload.wallet_id)
    ? await db
        .selectFrom('wallet')
        .select(['id', 'chain'])
        .where('account_id', '=', accountId)
        .where('id', '=', payload.wallet_id)
        .executeTakeFirst()
    : undefined;
  if (wallet === undefined)
    throw new ServiceError('NotFound', 'There is no wallet with this wallet_id.', {
      errors: [{ field: 'wallet_id', message: 'must be the id of a wallet of this account' }],
    });
  const { walletChain } = CHAINS[kind.chain];
  if (wallet.chain !== walletChain) throw invalid('wallet_id', `must be of a ${CHAINS[walletChain].name} wallet, to pay out ${kind.kind}`);
  return wallet.id;
}

/** §2.8: a contract may not be able to do anything with what it is sent. */
async function requireAccounts(profile: ProfileRow, sender: ChainSender, recipients: readonly Recipient[]): Promise<void> {
  if (profile.allow_smart_contract_payouts || sender.isContract === undefined) return;
  for (const [at, { address }] of recipients.entries()) {
    if (await asking(sender, sender.isContract(address)))
      throw invalidAddress(`recipients.${at}.address`, `${address} is a smart contract, which the profile does not allow to be paid`);
  }
}

async function askFee(sender: ChainSender, request: SendRequest): Promise<FeeEstimate> {
  return asking(sender, sender.estimate(request));
}

async function asking<T>({ chain }: ChainSender, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw new UnavailableError(`The chain ${chain} does not answer`, { cause });
  }
}

function requestOf({ kind, payload }: Order, recipients: readonly Recipient[]): SendRequest {
  return {
    asset: kind.coin.asset,
    outputs: recipients.map(({ address, tag, memo, amount, payment_request }) => ({
      address,
      tag,
      memo,
      amount,
      paymentRequest: payment_request,
    })),
    preset: payload.network_fee_preset ?? 'normal',
    feeRate: payload.network_fee ?? null,
  };
}

interface Parts {
  walletId: string;
  fee: FeeEstimate;
  rates: RateSet;
  gross: readonly Recipient[];
  paid: readonly Recipient[];
}

function newPayout(
  { ids, clock }: Context,
  { accountId, key, maxPayout = key?.maxPayout ?? null }: Creator,
  order: Order,
  { walletId, fee, rates, gross, paid }: Parts,
): NewPayout {
  const { kind, payload, duplicateKey, fingerprint } = order;
  const now = clock.now();
  const scheduledAt = typeof payload.scheduled_at === 'string' ? Date.parse(payload.scheduled_at) : null;
  if (scheduledAt !== null && scheduledAt > now + YEAR_MS)
    throw invalid('scheduled_at', `must be within a year, not ${payload.scheduled_at}`);
  if (scheduledAt !== null && scheduledAt < now - PAST_MS)
    throw invalid('scheduled_at', `must not be more than five minutes ago, as ${payload.scheduled_at} is`);
  const isDraft = maxPayout !== null && usdOf(gross, kind.coin.symbol, rates) > parseAmount(maxPayout);
  const scheduled = scheduledAt !== null && scheduledAt > now;
  const total = paid.reduce((sum, { amount }) => sum + amount, 0n);
  if (total + fee.reserve >= LIMIT) throw invalid('recipients', 'ask for more than 18 digits together');
  return {
    account_id: accountId,
    id: ids.uuid(),
    profile_id: payload.profile_id,
    wallet_id: walletId,
    kind: kind.kind,
    chain: kind.chain,
    asset: kind.coin.asset,
    fee_asset: kind.feeAsset,
    status: isDraft ? 'draft' : scheduled ? 'scheduled' : 'new',
    created_at: timestamp(now),
    scheduled_at: scheduled ? timestamp(scheduledAt) : null,
    key_id: key?.id ?? null,
    network_fee_pays: payload.network_fee_pays ?? 'merchant',
    network_fee_preset: payload.network_fee_preset ?? 'normal',
    network_fee: payload.network_fee ?? null,
    fee_rate: fee.feeRate === undefined ? null : Math.ceil(fee.feeRate),
    passthrough: payload.passthrough ?? null,
    reference_id: payload.reference_id ?? null,
    duplicate_key: duplicateKey,
    fingerprint,
    total: formatAmount(total),
    fee: formatAmount(fee.fee),
    fee_reserve: formatAmount(fee.reserve),
  };
}

/** Amounts from here on can't be written in 18 digits. */
const LIMIT = 10n ** 36n;
/** A clock that goes a little fast is no mistake; a wrong year would send money now. */
const PAST_MS = 5 * 60 * 1000;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** Of all recipients together, at the rate of the moment (decisions, "max_payout"). Exact, so that no rounding passes the limit. */
function usdOf(recipients: readonly Recipient[], symbol: string, rates: RateSet): Amount {
  return recipients.reduce((sum, { gross, requested_text, requested_currency }) => {
    const asked = requested_currency === symbol ? gross : parseAmount(requested_text);
    return sum + convert(asked, requested_currency, 'USD', rates, 18, 'up');
  }, 0n);
}

function rowsOf({ ids }: Context, recipients: readonly Recipient[]): RecipientRow[] {
  return recipients.map(({ gross: _gross, amount, ...recipient }, number) => ({
    ...recipient,
    number,
    id: ids.uuid(),
    amount: formatAmount(amount),
  }));
}

async function estimate(context: Context, { payout, recipients, profile, lying }: Planned): Promise<PayoutView> {
  const available = await availableIn(context.db, payout.account_id, payout.wallet_id);
  const isShort = lackingOf(payout, available, lying).size > 0;
  if (isShort && payout.status !== 'draft') await requireRefillable(context, payout, profile.reserve_wallet, lying);
  return viewOf(payout, recipients, profile.is_testnet);
}

function viewOf(payout: NewPayout, recipients: RecipientRow[], isTestnet: boolean): PayoutView {
  return {
    ...payout,
    sub_kind: null,
    approved_at: null,
    approved_by: null,
    executed_at: null,
    hold: 'none',
    txid: null,
    block_height: null,
    block_hash: null,
    confirmations: 0,
    error: null,
    events: [],
    version: 1,
    updated_at: payout.created_at,
    number: 0,
    is_testnet: isTestnet,
    recipients,
  };
}

/** @returns null when another one with the same duplicate key was faster */
async function store(context: Context, planned: Planned): Promise<PayoutView | null> {
  const { payout, profile, lying } = planned;
  try {
    return await transact(context.db, (trx) => insert(trx, planned, payout.status, payout.status === 'new'));
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // It waits for money out of the reserve wallet, where that can be.
    await requireRefillable(context, payout, profile.reserve_wallet, lying);
    return transact(context.db, (trx) => insert(trx, planned, 'awaiting_funds', false));
  }
}

async function insert(
  trx: Trx,
  { payout, recipients, lying }: Planned,
  status: NewPayout['status'],
  hold: boolean,
): Promise<PayoutView | null> {
  if (!(await insertPayout(trx, { ...payout, status }, recipients))) return null;
  if (hold) {
    await holdFunds(trx, payout, payout.created_at, lying);
    await trx.updateTable('payout').set({ hold: 'held' }).where('id', '=', payout.id).execute();
  }
  const [view] = await findPayouts(trx, [payout.id]);
  return view!;
}
