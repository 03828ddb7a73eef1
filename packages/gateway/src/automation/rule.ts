import { kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import {
  createAutomaticFunding as createSchema,
  updateAutomaticFunding as updateSchema,
} from '@crypto-checkout/protocol/schema/automatic-funding';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { isDuplicate, timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';
import { invalid } from '../http/invalid.ts';
import type { Caller } from '../account/caller.ts';
import { lockAndRequireNoCycle, type ConversionEdge } from './cycle-check.ts';
import { pairColumns, readCoins, readPair, targetColumns, type Pair } from '../exchange/pair.ts';
import {
  deleteRule,
  findRule,
  insertRule,
  saveRule,
  type NewRule,
  type RuleRow,
  type RuleType,
  type RuleView,
} from './rule-store.ts';

const NAMES = { conversion: 'automatic conversion', funding: 'automatic funding' } as const;
/** Attempts before a concurrent change is reported. */
const ATTEMPTS = 20;

type Amounts = Pick<z.output<typeof createSchema>, 'keep_amount' | 'min_amount' | 'max_amount'>;

/**
 * Creates an automatic conversion or automatic funding.
 * @throws ServiceError `AlreadyExists` if the wallet and kind have one, `InvalidState` if automatic
 * conversions would form a
 * cycle, and for an invalid payload
 */
export async function createRule(
  context: Context,
  type: RuleType,
  caller: Caller,
  input: unknown,
): Promise<RuleView> {
  const payload = validate(createSchema, input);
  const pair = await readPair(context, caller.accountId, payload);
  const { kind } = type === 'conversion' ? pair.from : pair.to;
  checkAmounts(payload, kind);
  const id = context.ids.uuid();
  const at = timestamp(context.clock.now());
  const rule = {
    account_id: caller.accountId,
    id,
    type,
    created_at: at,
    created_by: caller.name,
    ...pairColumns(pair),
    keep_amount: payload.keep_amount,
    min_amount: payload.min_amount,
    max_amount: payload.max_amount,
    is_enabled: payload.is_enabled ?? false,
    updated_at: at,
  } satisfies NewRule;
  await write(context, rule, kind, (trx) => insertRule(trx, rule));
  return getRule(context, type, caller.accountId, id);
}

/** @throws ServiceError `NotFound` for an unknown id, also for one of another account */
export async function getRule(
  { db }: Context,
  type: RuleType,
  accountId: string,
  id: string,
): Promise<RuleView> {
  const rule = isUuid(id) ? await findRule(db, accountId, type, id) : null;
  if (rule) return rule;
  throw new ServiceError('NotFound', `There is no ${NAMES[type]} with this id.`);
}

/** @throws ServiceError `NotFound`, `AlreadyExists`, `InvalidState`, and for an invalid payload */
export async function updateRule(
  context: Context,
  type: RuleType,
  caller: Caller,
  id: string,
  input: unknown,
): Promise<RuleView> {
  const payload = validate(updateSchema, input);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const rule = await getRule(context, type, caller.accountId, id);
    const pair = await changedPair(context, caller, rule, payload);
    const terms = {
      keep_amount: payload.keep_amount ?? rule.keep_amount,
      min_amount: payload.min_amount ?? rule.min_amount,
      max_amount: payload.max_amount ?? rule.max_amount,
    };
    const kind =
      type === 'conversion' ? kindOf(rule.from_kind)! : (pair?.to.kind ?? kindOf(rule.to_kind)!);
    checkAmounts(terms, kind);
    const change = {
      ...terms,
      ...(pair && targetColumns(pair)),
      is_enabled: payload.is_enabled ?? rule.is_enabled,
      updated_at: timestamp(context.clock.now()),
    };
    const saved = await write(context, { ...rule, ...change }, kind, (trx) =>
      saveRule(trx, rule, change),
    );
    if (saved) return getRule(context, type, caller.accountId, id);
  }
  throw new ServiceError('InvalidState', `The ${NAMES[type]} was changed concurrently; try again.`);
}

/**
 * @returns the deleted rule
 * @throws ServiceError `NotFound`, also when repeated
 */
export async function removeRule(
  context: Context,
  type: RuleType,
  accountId: string,
  id: string,
): Promise<RuleView> {
  const rule = await getRule(context, type, accountId, id);
  if (await deleteRule(context.db, id)) return rule;
  return getRule(context, type, accountId, id);
}

/**
 * @returns null for an unchanged pair, which is not validated again: a rule with a disabled coin
 * can still be switched off
 */
async function changedPair(
  context: Context,
  { accountId }: Caller,
  rule: RuleView,
  { to_wallet, to_kind, exchange }: z.output<typeof updateSchema>,
): Promise<Pair | null> {
  if ([to_wallet, to_kind, exchange].every((value) => value === null || value === undefined))
    return null;
  return readPair(context, accountId, {
    from_wallet: rule.from_wallet_id,
    from_kind: rule.from_kind,
    to_wallet: to_wallet ?? rule.to_wallet_id,
    to_kind: to_kind ?? rule.to_kind,
    exchange: exchange ?? rule.exchange,
  });
}

function checkAmounts({ keep_amount, min_amount, max_amount }: Amounts, kind: Kind): void {
  readCoins(keep_amount, kind, 'keep_amount');
  const least = readCoins(min_amount, kind, 'min_amount');
  const most = readCoins(max_amount, kind, 'max_amount');
  if (most === 0n) throw invalid('max_amount', 'must be more than zero');
  if (most < least) throw invalid('max_amount', `must be min_amount or more, not ${max_amount}`);
}

const UNIQUE_CONSTRAINTS = {
  conversion: 'automatic_conversion_one',
  funding: 'automatic_funding_one',
} as const;

type SavedRule = Pick<RuleRow, 'type' | 'is_enabled'> & ConversionEdge;

/** Saves a rule; checks for cycles in the same database transaction. */
async function write<T>(
  { db }: Context,
  rule: SavedRule,
  kind: Kind,
  save: (trx: Trx) => Promise<T>,
): Promise<T> {
  return onePerWalletAndKind(rule.type, kind, () =>
    transact(db, async (trx) => {
      if (rule.type === 'conversion' && rule.is_enabled) await lockAndRequireNoCycle(trx, rule);
      return save(trx);
    }),
  );
}

/** Maps the unique constraint (one rule per wallet and kind) to `AlreadyExists`. */
async function onePerWalletAndKind<T>(
  type: RuleType,
  { asset }: Kind,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error, UNIQUE_CONSTRAINTS[type])) throw error;
    const field = type === 'conversion' ? 'from_kind' : 'to_kind';
    throw new ServiceError(
      'AlreadyExists',
      `The wallet already has an ${NAMES[type]} for ${asset}; only one per kind is allowed.`,
      {
        errors: [{ field, message: `has an ${NAMES[type]} in this wallet` }],
      },
    );
  }
}
