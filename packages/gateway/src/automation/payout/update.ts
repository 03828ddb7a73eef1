import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { updateAutomaticPayout as schema } from '@crypto-checkout/protocol/schema/automatic-payout';
import { requireOffered } from '../../profile/disabled-kinds.ts';
import type { Context } from '../../context.ts';
import { timestamp, transact, type Trx } from '../../database/database.ts';
import { ServiceError } from '../../http/error.ts';
import { isUuid } from '../../http/id.ts';
import { validate } from '../../http/payload.ts';
import type { Editor, RuleOptions } from './create.ts';
import { noSuchRule } from './get.ts';
import { lockRule, removeRule, saveRule, type RuleView } from './store.ts';
import { onePerWalletAndKind, readTerms } from './terms.ts';

const PAYMENT_FIELDS = ['kind', 'recipient_address', 'keep_amount', 'min_amount'] as const;

/**
 * Changes an automatic payout; omitted fields keep their values. After it is enabled, or gets
 * another interval, the next run is one interval from now.
 * @throws ServiceError `NotFound`, `PermissionDenied` without `is_api_editable`, `AlreadyExists`,
 * `InvalidAddress`
 */
export async function updateAutomaticPayout(
  context: Context,
  editor: Editor,
  id: string,
  input: unknown,
  { isApiEditable }: RuleOptions = {},
): Promise<RuleView> {
  const payload = validate(schema, input);
  let wanted: Kind | null = null;
  return onePerWalletAndKind(
    () => wanted,
    () =>
      change(context, editor, id, async (trx, rule) => {
        const { kind, recipient_address, keep, min } = readTerms(
          {
            kind: payload.kind ?? rule.kind,
            recipient_address: payload.recipient_address ?? rule.recipient_address,
            keep_amount: payload.keep_amount ?? formatAmount(parseAmount(rule.keep_amount)),
            min_amount: payload.min_amount ?? formatAmount(parseAmount(rule.min_amount)),
          },
          { chain: CHAINS[kindOf(rule.kind)!.chain].walletChain, is_testnet: rule.is_testnet },
        );
        // A rule with a disabled coin can still be switched off.
        if (kind.kind !== rule.kind) requireOffered(kind, 'kind');
        wanted = kind;
        const interval = payload.interval ?? rule.interval_minutes;
        const isEnabled = payload.is_enabled ?? rule.is_enabled;
        const isSwitchedOn = isEnabled && !rule.is_enabled;
        const now = context.clock.now();
        // The editor's limit applies from now on. An operator who leaves the payment fields
        // unchanged keeps the key's limit.
        const isKept =
          !editor.overApi &&
          !isSwitchedOn &&
          PAYMENT_FIELDS.every((name) => payload[name] === undefined);
        const startsAnew = interval !== rule.interval_minutes || isSwitchedOn;
        await saveRule(trx, editor.accountId, id, {
          kind: kind.kind,
          asset: kind.asset,
          recipient_address,
          keep_amount: formatAmount(keep),
          min_amount: formatAmount(min),
          interval_minutes: interval,
          is_enabled: isEnabled,
          is_api_editable: isApiEditable ?? rule.is_api_editable,
          updated_at: timestamp(now),
          max_payout: isKept ? rule.max_payout : (editor.maxPayout ?? null),
          next_at: startsAnew ? timestamp(now + interval * 60_000) : rule.next_at,
        });
        return (await lockRule(trx, editor.accountId, id))!;
      }),
  );
}

/**
 * Deletes an automatic payout; payouts that it created continue.
 * @returns the deleted rule
 * @throws ServiceError `NotFound`, also when repeated, or `PermissionDenied`
 */
export async function deleteAutomaticPayout(
  context: Context,
  editor: Editor,
  id: string,
): Promise<RuleView> {
  return change(context, editor, id, async (trx, rule) => {
    await removeRule(trx, editor.accountId, id);
    return rule;
  });
}

async function change(
  { db }: Context,
  { accountId, overApi }: Editor,
  id: string,
  work: (trx: Trx, rule: RuleView) => Promise<RuleView>,
): Promise<RuleView> {
  if (!isUuid(id)) throw noSuchRule();
  return transact(db, async (trx) => {
    const rule = await lockRule(trx, accountId, id);
    if (rule === null) throw noSuchRule();
    if (overApi && !rule.is_api_editable)
      throw new ServiceError(
        'PermissionDenied',
        "This automatic payout can't be changed over the interface (is_api_editable): only its operator can, on the command line (automatic-payouts).",
      );
    return work(trx, rule);
  });
}
