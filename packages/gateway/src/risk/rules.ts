import { parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { RISK_LEVELS, type RiskLevel } from '@crypto-checkout/protocol/status';
import { amountText } from '@crypto-checkout/protocol/schema/fields/amount';
import { z } from 'zod';
import { describeProblem } from '../http/problem.ts';
import type { RiskFinding } from '../transaction/assessment.ts';
import type { PaymentFacts } from './check.ts';

/** A payment that matches all conditions of a rule gets the rule's level. */
export interface RiskRule {
  /** The receiving address, or the sending address or outpoint. */
  address?: string | undefined;
  kind?: string | undefined;
  min_amount?: string | undefined;
  max_amount?: string | undefined;
  level: RiskLevel;
  /** Default: true for `high` and `critical`. */
  quarantine?: boolean | undefined;
}

const rule: z.ZodType<RiskRule> = z.strictObject({
  address: z.string().min(1).max(256).optional(),
  kind: z
    .string()
    .refine((kind) => kindOf(kind) !== undefined, 'must be a coin kind')
    .optional(),
  min_amount: amountText.optional(),
  max_amount: amountText.optional(),
  level: z.enum(RISK_LEVELS),
  quarantine: z.boolean().optional(),
});
const rules = z.array(rule).max(10_000);

/**
 * Reads `RISK_RULES`.
 * @param reject receives the problem
 * @example
 * const refuse = (message: string): never => { throw new Error(message); };
 * readRiskRules('[{"kind":"BTC","min_amount":"1","level":"high"}]', refuse)
 */
export function readRiskRules(
  text: string,
  reject: (message: string) => void,
): readonly RiskRule[] {
  if (text === '') return [];
  try {
    const parsed = rules.safeParse(JSON.parse(text), { error: describeProblem });
    if (parsed.success) return parsed.data;
    const { path, message } = parsed.error.issues[0]!;
    reject(`must be a list of rules (${[...path, message].join(' ')})`);
  } catch {
    reject('must be a JSON list of rules, as in [{"kind":"BTC","min_amount":"1","level":"high"}]');
  }
  return [];
}

/** Applies the first matching rule. */
export function applyRules(list: readonly RiskRule[], facts: PaymentFacts): RiskFinding | null {
  const at = list.findIndex((candidate) => fits(candidate, facts));
  const found = list[at];
  if (found === undefined) return null;
  return {
    level: found.level,
    data: { source: 'rules', rule: at + 1 },
    quarantine: found.quarantine ?? quarantinesByDefault(found.level),
  };
}

/** Levels that are held unless a rule sets `quarantine`. */
export const quarantinesByDefault = (level: RiskLevel): boolean =>
  level === 'high' || level === 'critical';

function fits(
  { address, kind, min_amount, max_amount }: RiskRule,
  { asset, amount, ...facts }: PaymentFacts,
): boolean {
  if (kind !== undefined && kindOf(kind)?.asset !== asset) return false;
  if (min_amount !== undefined && amount < parseAmount(min_amount)) return false;
  if (max_amount !== undefined && amount > parseAmount(max_amount)) return false;
  return (
    address === undefined ||
    [facts.address, ...facts.inputs.map(senderOf)].some(
      (one) => one !== null && isSameAddress(one, address),
    )
  );
}

/** Strips the final number of `sender:nonce` or of an outpoint. */
const senderOf = (input: string): string => input.replace(/:\d+$/, '');

/** EVM addresses differ in case only by their checksum (EIP-55). */
const isSameAddress = (a: string, b: string): boolean =>
  a === b || (/^0x/i.test(a) && a.toLowerCase() === b.toLowerCase());
