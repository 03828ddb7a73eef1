import { formatAmount } from '@crypto-checkout/protocol/amount';
import { createAutomaticPayout as schema } from '@crypto-checkout/protocol/schema/automatic-payout';
import { requireOffered } from '../../profile/disabled-kinds.ts';
import type { Context } from '../../context.ts';
import { timestamp } from '../../database/database.ts';
import { ServiceError } from '../../http/error.ts';
import { isUuid } from '../../http/id.ts';
import { validate } from '../../http/payload.ts';
import { getAutomaticPayout } from './get.ts';
import { findWallet, insertRule, type RuleView, type RuleWallet } from './store.ts';
import { onePerWalletAndKind, readTerms } from './terms.ts';

/** The caller who creates or changes a rule. */
export interface Editor {
  accountId: string;
  /** Name of the API key or the operator. */
  name: string;
  /**
   * True for API requests, which may change only rules with `is_api_editable`; operators may change
   * all.
   */
  overApi: boolean;
  /** The key's limit in USD: a payout above it becomes a draft. Default: no limit. */
  maxPayout?: string | null;
}

export interface RuleOptions {
  /**
   * Allows changes through the API. Default: true if created through the API; an update keeps the
   * value.
   */
  isApiEditable?: boolean;
}

const DEFAULT_INTERVAL = 60;

/**
 * Creates an automatic payout. Its first run is one interval from now, so that a mistake can be
 * corrected.
 * @param input the unvalidated payload
 * @throws ServiceError `AlreadyExists` if the wallet and kind have one, `NotFound` for an unknown
 * wallet, `InvalidAddress`
 * @example
 * const caller = { accountId, name: 'operator', overApi: false };
 * await createAutomaticPayout(context, caller, { wallet, keep_amount: '1', recipient_address });
 */
export async function createAutomaticPayout(
  context: Context,
  editor: Editor,
  input: unknown,
  { isApiEditable = editor.overApi }: RuleOptions = {},
): Promise<RuleView> {
  const payload = validate(schema, input);
  const wallet = await requireWallet(context, editor.accountId, payload.wallet);
  const { kind, recipient_address, keep, min } = readTerms(
    { ...payload, kind: payload.kind ?? null, min_amount: payload.min_amount ?? '0' },
    wallet,
  );
  requireOffered(kind, 'kind');
  const interval = payload.interval ?? DEFAULT_INTERVAL;
  const now = context.clock.now();
  const id = context.ids.uuid();
  await onePerWalletAndKind(
    () => kind,
    () =>
      insertRule(context.db, {
        account_id: editor.accountId,
        id,
        wallet_id: wallet.id,
        kind: kind.kind,
        asset: kind.asset,
        recipient_address,
        keep_amount: formatAmount(keep),
        min_amount: formatAmount(min),
        interval_minutes: interval,
        is_enabled: payload.is_enabled ?? false,
        is_api_editable: isApiEditable,
        created_by: editor.name,
        created_at: timestamp(now),
        updated_at: timestamp(now),
        next_at: timestamp(now + interval * 60_000),
        last_error: null,
        last_at: null,
        last_payout_id: null,
        max_payout: editor.maxPayout ?? null,
      }),
  );
  return getAutomaticPayout(context, editor.accountId, id);
}

async function requireWallet({ db }: Context, accountId: string, id: string): Promise<RuleWallet> {
  const wallet = isUuid(id) ? await findWallet(db, accountId, id) : null;
  if (wallet) return wallet;
  throw new ServiceError('NotFound', 'There is no wallet with this id.', {
    errors: [{ field: 'wallet', message: 'must be the id of a wallet of this account' }],
  });
}
