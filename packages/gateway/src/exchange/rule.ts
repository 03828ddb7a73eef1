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
import type { Caller } from './caller.ts';
import { requireNoCircle, type Sale } from './circle.ts';
import { pairColumns, readCoins, readPair, targetColumns, type Pair } from './pair.ts';
import { deleteRule, findRule, insertRule, saveRule, type NewRule, type RuleRow, type RuleType, type RuleView } from './rule-store.ts';

/** What the two are called. */
const NAMES = { conversion: 'automatic conversion', funding: 'automatic funding' } as const;
/** So often another change may be faster. */
const ATTEMPTS = 20;

type Amounts = Pick<z.output<typeof createSchema>, 'keep_amount' | 'min_amount' | 'max_amount'>;

/**
 * Creates an automatic conversion or automatic funding (§4.8).
 * @throws ServiceError `AlreadyExists` when there is one for the wallet and kind, `InvalidState` when automatic conversions would go
 * in a circle, and for everything that is wrong with it
 */
export async function createRule(context: Context, type: RuleType, caller: Caller, input: unknown): Promise<RuleView> {
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

/** @throws ServiceError `NotFound` for an unknown id and another account's alike */
export async function getRule({ db }: Context, type: RuleType, accountId: string, id: string): Promise<RuleView> {
  const rule = isUuid(id) ? await findRule(db, accountId, type, id) : null;
  if (rule) return rule;
  throw new ServiceError('NotFound', `There is no ${NAMES[type]} with this id.`);
}

/** @throws ServiceError `NotFound`, `AlreadyExists`, `InvalidState`, and for everything that is wrong with it */
export async function updateRule(context: Context, type: RuleType, caller: Caller, id: string, input: unknown): Promise<RuleView> {
  const payload = validate(updateSchema, input);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const rule = await getRule(context, type, caller.accountId, id);
    const pair = await changedPair(context, caller, rule, payload);
    const terms = {
      keep_amount: payload.keep_amount ?? rule.keep_amount,
      min_amount: payload.min_amount ?? rule.min_amount,
      max_amount: payload.max_amount ?? rule.max_amount,
    };
    const kind = type === 'conversion' ? kindOf(rule.from_kind)! : (pair?.to.kind ?? kindOf(rule.to_kind)!);
    checkAmounts(terms, kind);
    const change = {
      ...terms,
      ...(pair && targetColumns(pair)),
      is_enabled: payload.is_enabled ?? rule.is_enabled,
      updated_at: timestamp(context.clock.now()),
    };
    const saved = await write(context, { ...rule, ...change }, kind, (trx) => saveRule(trx, rule, change));
    if (saved) return getRule(context, type, caller.accountId, id);
  }
  throw new ServiceError('InvalidState', `The ${NAMES[type]} is being changed by others at the moment.`);
}

/** @returns what is gone @throws ServiceError `NotFound`, also for the second time */
export async function removeRule(context: Context, type: RuleType, accountId: string, id: string): Promise<RuleView> {
  const rule = await getRule(context, type, accountId, id);
  if (await deleteRule(context.db, id)) return rule;
  return getRule(context, type, accountId, id);
}

/** @returns null when it stays: one that is no longer possible can still be switched off */
async function changedPair(
  context: Context,
  { accountId }: Caller,
  rule: RuleView,
  { to_wallet, to_kind, exchange }: z.output<typeof updateSchema>,
): Promise<Pair | null> {
  if ([to_wallet, to_kind, exchange].every((value) => value === null || value === undefined)) return null;
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

const ONE = { conversion: 'automatic_conversion_one', funding: 'automatic_funding_one' } as const;

type Written = Pick<RuleRow, 'type' | 'is_enabled'> & Sale;

/** Writes a rule that may be what it is to be: together with others, it is looked at in the same database transaction. */
async function write<T>({ db }: Context, rule: Written, kind: Kind, save: (trx: Trx) => Promise<T>): Promise<T> {
  return once(rule.type, kind, () =>
    transact(db, async (trx) => {
      if (rule.type === 'conversion' && rule.is_enabled) await requireNoCircle(trx, rule);
      return save(trx);
    }),
  );
}

/** §2.11: one for each wallet and kind that it looks after. */
async function once<T>(type: RuleType, { asset }: Kind, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error, ONE[type])) throw error;
    const field = type === 'conversion' ? 'from_kind' : 'to_kind';
    throw new ServiceError('AlreadyExists', `The wallet has an ${NAMES[type]} for ${asset} already: one is allowed for each kind.`, {
      errors: [{ field, message: `has an ${NAMES[type]} in this wallet` }],
    });
  }
}
