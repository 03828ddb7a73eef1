import { type TemplateResult, html, nothing } from 'lit';
import type { ExchangeRule, Rule, RuleCoin, Rules } from '@crypto-checkout/protocol/dashboard';
import { span } from './text.ts';

/** The fields of a form, as they were filled in; empty for a new rule. */
export type Values = Readonly<Record<string, string>>;

export type RuleType = 'payout' | 'conversion' | 'funding';
export type AnyRule = Rule &
  Partial<Pick<ExchangeRule, 'to_kind' | 'max_amount'>> & {
    recipient_address?: string;
  };

const DEFAULT_INTERVAL = 60;

interface FormOptions {
  type: RuleType;
  rules: Rules;
  values: Values;
  /** True for a rule that exists: its coins stay. */
  isChange: boolean;
  problem: string | null;
}

/** The fields of an automatic rule, in a dialog. */
export function ruleFields({
  type,
  rules,
  values,
  isChange,
  problem,
}: FormOptions): TemplateResult {
  const { coins, intervals } = rules;
  const chosen = values['interval'] ?? String(DEFAULT_INTERVAL);
  return html`
    ${problem === null ? nothing : html`<p class="trouble" role="alert">${problem}</p>`}
    ${isChange ? nothing : coinFields(type, coins, values)}
    ${type === 'payout' ? text('recipient_address', 'To this address', values) : nothing}
    ${amount('keep_amount', KEEPS[type], values, '0')}
    ${amount('min_amount', 'Smallest amount', values, '0')}
    ${
      type === 'payout'
        ? html`<label
            ><span>How often</span
            ><select name="interval">
              ${intervals.map((minutes) => html`<option value=${minutes} ?selected=${String(minutes) === chosen}>Every ${span(minutes)}</option>`)}
            </select></label
          >`
        : amount('max_amount', 'Largest amount', values, '')
    }
    <label class="check"
      ><input
        type="checkbox"
        name="is_enabled"
        ?checked=${values['is_enabled'] !== undefined}
      /><span>Active</span></label
    >
  `;
}

const KEEPS: Readonly<Record<RuleType, string>> = {
  payout: 'Keep this much in the wallet',
  conversion: 'Keep this much in the wallet',
  funding: 'Refill the wallet to this amount',
};

function coinFields(type: RuleType, coins: readonly RuleCoin[], values: Values): TemplateResult {
  const select = (name: string, label: string): TemplateResult =>
    html`<label
      ><span>${label}</span
      ><select name=${name} required>
        <option value="">Choose a coin</option>
        ${coins.map((coin) => html`<option value=${coinValue(coin)} ?selected=${coinValue(coin) === values[name]}>${coin.currency} on ${coin.network} (${coin.wallet_name})</option>`)}
      </select></label
    >`;
  return type === 'payout'
    ? select('coin', 'Coin')
    : html`${select('from', type === 'conversion' ? 'Sell' : 'Pay with')}
      ${select('to', type === 'conversion' ? 'For' : 'Buy')}`;
}

const text = (name: string, label: string, values: Values): TemplateResult =>
  html`<label
    ><span>${label}</span
    ><input
      name=${name}
      .defaultValue=${values[name] ?? ''}
      required
      maxlength="256"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
  /></label>`;

const amount = (name: string, label: string, values: Values, otherwise: string): TemplateResult =>
  html`<label
    ><span>${label}</span
    ><input
      name=${name}
      .defaultValue=${values[name] ?? otherwise}
      required
      inputmode="decimal"
      autocomplete="off"
  /></label>`;

/** A wallet and a kind, as the value of an option. */
const coinValue = ({ wallet_id, kind }: RuleCoin): string => `${wallet_id} ${kind}`;

/** The filled form of a rule that exists. */
export function valuesOfRule(rule: AnyRule): Values {
  const { keep_amount, min_amount, max_amount, recipient_address, every_minutes } = rule;
  return {
    keep_amount,
    min_amount,
    ...(max_amount === undefined ? {} : { max_amount }),
    ...(recipient_address === undefined
      ? {}
      : { recipient_address, interval: String(every_minutes) }),
    ...(rule.is_enabled ? { is_enabled: 'on' } : {}),
  };
}

/** The payload of a new rule. */
export function payloadOf(type: RuleType, values: Values): object {
  const [wallet, kind] = (values['coin'] ?? '').split(' ');
  const [from_wallet, from_kind] = (values['from'] ?? '').split(' ');
  const [to_wallet, to_kind] = (values['to'] ?? '').split(' ');
  const coins =
    type === 'payout' ? { wallet, kind } : { from_wallet, from_kind, to_wallet, to_kind };
  return { ...coins, ...termsOf(values) };
}

/** The members of a change: those that differ, because each one replaces a limit of its key. */
export function changesOf(before: Values, values: Values): Readonly<Record<string, unknown>> {
  const [was, is] = [termsOf(before), termsOf(values)];
  return Object.fromEntries(Object.entries(is).filter(([name, value]) => value !== was[name]));
}

function termsOf(values: Values): Readonly<Record<string, unknown>> {
  const { coin: _coin, from: _from, to: _to, interval, is_enabled, ...terms } = values;
  return {
    ...terms,
    ...(interval === undefined ? {} : { interval: Number(interval) }),
    is_enabled: is_enabled !== undefined,
  };
}
