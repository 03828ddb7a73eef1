import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { readUnswept, type UnsweptFunds } from '../sweep/unswept-funds.ts';
import type { Context } from '../context.ts';
import { transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { findProfile as findProfileRow, type ProfileRow } from '../profile/store.ts';
import { LedgerError } from '../ledger/post.ts';
import { holdFunds } from './hold.ts';
import { afterNetworkFee, deductedFee, estimateFee, requireReasonableFee } from './fee.ts';
import { invalid } from '../http/invalid.ts';
import { exceedsDailyLimit } from './approval/daily-limit.ts';
import { shortfallOf } from './required-funds.ts';
import { newPayout, rowsOf, sendRequestOf, viewOf, type Creator } from './new-payout.ts';
import { readPayoutRequest, type PayoutRequest } from './request.ts';
import { readRecipient, type Recipient } from './recipient.ts';
import { requireForeign, requireNoContracts, requirePossible } from './require-recipients.ts';
import { requireRefillable } from './sending/refill.ts';
import { legacyFingerprintOf } from './fingerprint.ts';
import {
  availableIn,
  findByDuplicateKey,
  findPayouts,
  insertPayout,
  type NewPayout,
  type PayoutView,
  type RecipientRow,
} from './store.ts';

export type Created =
  | { type: 'created'; payout: PayoutView }
  /** An earlier request had the same duplicate key and the same parameters. */
  | { type: 'existing'; payout: PayoutView }
  | { type: 'estimate'; payout: PayoutView };

/**
 * Creates a payout: checks and prices it, and holds its amount and maximum fee in one database
 * transaction. The worker sends it. A repeated request returns the existing payout
 * (docs/interface.md, "Duplicate payouts").
 * @param input the unvalidated payload
 * @throws ServiceError for invalid input; nothing is stored then
 */
export async function createPayout(
  context: Context,
  creator: Creator,
  input: unknown,
): Promise<Created> {
  const request = readPayoutRequest(input, creator.key === null);
  const estimateOnly = request.payload.estimate_only === true;
  const existing = estimateOnly ? null : await findDuplicate(context, creator.accountId, request);
  if (existing) return { type: 'existing', payout: existing };
  const planned = await planPayout(context, creator, request);
  if (estimateOnly) return { type: 'estimate', payout: await estimate(context, planned) };
  const payout = await storePayout(context, creator, planned, (_, store) => store());
  return payout
    ? { type: 'created', payout }
    : { type: 'existing', payout: (await findDuplicate(context, creator.accountId, request))! };
}

/** @throws ServiceError `DuplicateReference` if a payout with other parameters has the reference */
async function findDuplicate(
  { db }: Context,
  accountId: string,
  { duplicateKey, fingerprint, payload }: PayoutRequest,
): Promise<PayoutView | null> {
  if (duplicateKey === null) return null;
  const found = await findByDuplicateKey(db, accountId, duplicateKey);
  if (
    found === null ||
    found.fingerprint === fingerprint ||
    found.fingerprint === legacyFingerprintOf(payload)
  )
    return found;
  const field = typeof payload.reference_id === 'string' ? 'reference_id' : 'passthrough';
  throw new ServiceError(
    'DuplicateReference',
    `Another payout with other parameters has this ${field}: ${found.id}.`,
    {
      errors: [{ field, message: 'must be unique' }],
    },
  );
}

/** A payout that was checked and priced, and is not stored yet. */
export interface PlannedPayout {
  payout: NewPayout;
  recipients: RecipientRow[];
  profile: ProfileRow;
  unswept: UnsweptFunds;
}

/** @throws ServiceError for an invalid request; nothing is stored */
export async function planPayout(
  context: Context,
  creator: Creator,
  request: PayoutRequest,
): Promise<PlannedPayout> {
  const { kind, payload } = request;
  const [profile, rates] = await Promise.all([
    findProfile(context, creator.accountId, payload.profile_id),
    context.rates.current(),
  ]);
  const sender = requireEnabled(context, profile, request, creator.anyCoin);
  requirePossible(context, kind);
  const walletId = await findWallet(context, creator.accountId, profile, request);
  if (payload.recipients.length > sender.maxOutputs)
    throw invalid(
      'recipients',
      `may have at most ${sender.maxOutputs} entries for ${kind.kind}, the limit of one transaction`,
    );
  const network = profile.is_testnet ? 'testnet' : 'mainnet';
  const options = {
    kind,
    network,
    stablecoinPrecision: profile.stablecoin_precision,
    rates,
  } as const;
  const recipients: Recipient[] = [];
  // Sequential: each recipient may need a request to an LNURL service.
  for (const [index, recipient] of payload.recipients.entries())
    recipients.push(await readRecipient(context, recipient, index, options));
  requireForeign(sender, recipients);
  await requireNoContracts(profile, sender, recipients);
  const fee = await estimateFee(sender, sendRequestOf(request, recipients));
  const deducted = deductedFee(fee, creator.sweepFee);
  requireReasonableFee(request, deducted, recipients, rates);
  const paid = afterNetworkFee(request, recipients, deducted, rates, profile.stablecoin_precision);
  const unswept = await readUnswept(context, kind.chain, walletId);
  return {
    payout: newPayout(context, creator, request, { walletId, fee, rates, gross: recipients, paid }),
    recipients: rowsOf(context, paid),
    profile,
    unswept,
  };
}

async function findProfile({ db }: Context, accountId: string, id: string): Promise<ProfileRow> {
  const profile = isUuid(id) ? await findProfileRow(db, accountId, id) : null;
  if (profile) return profile;
  throw new ServiceError('NotFound', 'No profile has this profile_id.', {
    errors: [{ field: 'profile_id', message: 'must be the id of a profile of this account' }],
  });
}

/**
 * The kind is enabled in the profile and its chain can send it. Published clients match this error
 * text.
 */
function requireEnabled(
  { senders, chains }: Context,
  profile: ProfileRow,
  { kind }: PayoutRequest,
  anyCoin = false,
): ChainSender {
  const sender = senders.get(kind.chain);
  const isEnabled =
    anyCoin || profile.currencies.some((currency) => kind.enabledBy.includes(currency.kind));
  const network = profile.is_testnet ? 'testnet' : 'mainnet';
  if (
    isEnabled &&
    sender?.kinds.includes(kind.coin.kind) &&
    chains.get(kind.chain)?.network === network
  )
    return sender;
  throw new ServiceError(
    'CurrencyNotEnabled',
    `The profile doesn't support selected payment currency: ${kind.kind}.`,
    {
      errors: [{ field: 'kind', message: 'must be enabled in the profile' }],
    },
  );
}

async function findWallet(
  { db }: Context,
  accountId: string,
  profile: ProfileRow,
  { kind, payload }: PayoutRequest,
): Promise<string> {
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
    throw new ServiceError('NotFound', 'No wallet has this wallet_id.', {
      errors: [{ field: 'wallet_id', message: 'must be the id of a wallet of this account' }],
    });
  const { walletChain } = CHAINS[kind.chain];
  if (wallet.chain !== walletChain)
    throw invalid(
      'wallet_id',
      `must be the id of a ${CHAINS[walletChain].name} wallet to pay out ${kind.kind}`,
    );
  return wallet.id;
}

async function estimate(
  context: Context,
  { payout, recipients, profile, unswept }: PlannedPayout,
): Promise<PayoutView> {
  const available = await availableIn(context.db, payout.account_id, payout.wallet_id);
  const isShort = shortfallOf(payout, available, unswept).size > 0;
  if (isShort && payout.status !== 'draft')
    await requireRefillable(context, payout, profile.reserve_wallet, unswept);
  return viewOf(payout, recipients, profile.is_testnet);
}

/** Stores the payout; null if a concurrent request stored the same duplicate key first. */
export type StorePayout = () => Promise<PayoutView | null>;

/**
 * Stores a planned payout in one database transaction with what belongs to it.
 * @param within runs in that transaction, once or again after a rollback, and stores the payout
 * @throws ServiceError `InsufficientFunds`
 */
export async function storePayout<T>(
  context: Context,
  { key }: Creator,
  planned: PlannedPayout,
  within: (trx: Trx, store: StorePayout) => Promise<T>,
): Promise<T> {
  const { payout, profile, unswept } = planned;
  const storeAs = (usual: NewPayout['status']): Promise<T> =>
    transact(context.db, (trx) =>
      within(trx, async () => {
        const isDraft = key !== null && (await exceedsDailyLimit(trx, key, payout));
        const status = isDraft ? 'draft' : usual;
        return insert(trx, planned, status, status === 'new');
      }),
    );
  try {
    return await storeAs(payout.status);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    // The payout waits for the reserve wallet, if that can buy the missing funds.
    await requireRefillable(context, payout, profile.reserve_wallet, unswept);
    return storeAs('awaiting_funds');
  }
}

async function insert(
  trx: Trx,
  { payout, recipients, unswept }: PlannedPayout,
  status: NewPayout['status'],
  hold: boolean,
): Promise<PayoutView | null> {
  if (!(await insertPayout(trx, { ...payout, status }, recipients))) return null;
  if (hold) {
    await holdFunds(trx, payout, payout.created_at, unswept);
    await trx.updateTable('payout').set({ hold: 'held' }).where('id', '=', payout.id).execute();
  }
  const [view] = await findPayouts(trx, [payout.id]);
  return view!;
}
