import { type TemplateResult, html } from 'lit';
import type { Rule, Rules } from '@crypto-checkout/protocol/dashboard';
import { say } from '../navigate.ts';
import { confirmed } from '../part/confirmed.ts';
import {
  type AnyRule,
  changesOf,
  payloadOf,
  ruleFields,
  type RuleType,
  type Values,
  valuesOfRule,
} from '../part/rule-form.ts';
import { type Column, table } from '../part/table.ts';
import { badge, code, count, grouped, link, money, untrusted, span, time } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read, write } from '../server.ts';

/** Automatic rules: an operator makes, changes and deletes them here. */
export class RulesView extends View<Rules> {
  protected override heading(): string {
    return 'Rules';
  }

  protected override async load(signal: AbortSignal): Promise<Rules> {
    return (await read<{ result: Rules }>('rules/', signal)).result;
  }

  protected override summary({ payouts, conversions, fundings }: Rules): string {
    return `${count(payouts.length + conversions.length + fundings.length, 'rule')}.`;
  }

  protected override content(all: Rules): TemplateResult {
    return html`
      ${this.#section(all, 'payout', all.payouts, [
        { head: 'Wallet', cell: ({ wallet_name }) => wallet_name },
        {
          head: 'Sends',
          cell: ({ kind, recipient_address }) => html`${kind} to ${code(recipient_address)}`,
        },
        { head: 'When', cell: (rule) => when(rule, tooMuch(rule)) },
      ])}
      ${this.#section<TradingRule>(all, 'conversion', all.conversions, [
        { head: 'Wallet', cell: ({ wallet_name }) => wallet_name },
        {
          head: 'Sells',
          cell: ({ kind, to_kind, to_wallet_name }) =>
            html`${kind} for ${to_kind} in ${to_wallet_name}`,
        },
        { head: 'When', cell: (rule) => when(rule, tooMuch(rule), rule.max_amount) },
      ])}
      ${this.#section<TradingRule>(all, 'funding', all.fundings, [
        { head: 'Wallet', cell: ({ to_wallet_name }) => to_wallet_name },
        {
          head: 'Buys',
          cell: ({ kind, to_kind, wallet_name }) => html`${to_kind} for ${kind} of ${wallet_name}`,
        },
        {
          head: 'When',
          cell: (rule) =>
            when(rule, `what is missing to ${grouped(rule.keep_amount)}`, rule.max_amount),
        },
      ])}
    `;
  }

  #section<T extends AnyRule>(
    all: Rules,
    type: RuleType,
    rules: readonly T[],
    columns: readonly Column<T>[],
  ): TemplateResult {
    const { title, noun, empty } = TYPES[type];
    const actions: Column<T> = { head: 'Action', cell: (rule) => this.#actions(all, type, rule) };
    return html`<section class="card">
      <h2>${title} <span class="count">${rules.length}</span></h2>
      ${rules.length > 0 ? table(title, [...columns, ...RUNS, actions], rules) : html`<p>${empty}</p>`}
      <div class="actions">
        <button
          type="button"
          ?disabled=${this.changing}
          @click=${() => this.#edit(all, type, null)}
        >
          New ${noun} …
        </button>
      </div>
    </section>`;
  }

  #actions(all: Rules, type: RuleType, rule: AnyRule): TemplateResult {
    const name = `${TYPES[type].noun} of ${rule.kind}`;
    return html`<span class="choices">
      <button
        type="button"
        class="quiet"
        ?disabled=${this.changing}
        @click=${() => this.#edit(all, type, rule)}
      >
        Change …<span class="hidden"> ${name}</span>
      </button>
      <button
        type="button"
        class="quiet"
        ?disabled=${this.changing}
        @click=${() => this.#delete(type, rule)}
      >
        Delete …<span class="hidden"> ${name}</span>
      </button>
    </span>`;
  }

  /** Asks until the gateway accepts the terms, or the operator cancels. */
  async #edit(all: Rules, type: RuleType, rule: AnyRule | null): Promise<void> {
    const { noun, path } = TYPES[type];
    const before: Values | null = rule && valuesOfRule(rule);
    let values: Values = before ?? {};
    let problem: string | null = null;
    for (;;) {
      const isChange = rule !== null;
      const title = isChange ? `Change this ${noun} of ${rule.kind}` : `New ${noun}`;
      const text = ruleFields({ type, rules: all, values, isChange, problem });
      const answer = await confirmed({ title, text, action: isChange ? 'Save' : 'Create' });
      if (answer === null) return;
      values = answer;
      const payload = before === null ? payloadOf(type, values) : changesOf(before, values);
      if (Object.keys(payload).length === 0) return;
      if (type === 'payout' && movesMoney(before, values) && !(await isSure(values))) return;
      problem = await this.#send(`${path}/${rule === null ? '' : `${rule.id}/`}`, payload);
      if (problem === null) break;
    }
    say(rule === null ? `The ${noun} was created.` : `The ${noun} was changed.`);
    await this.reload();
  }

  /** @returns the gateway's error message; null when the change was made */
  async #send(path: string, payload: object): Promise<string | null> {
    this.changing = true;
    try {
      await write(path, payload);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      this.changing = false;
    }
  }

  async #delete(type: RuleType, rule: AnyRule): Promise<void> {
    const { noun, path } = TYPES[type];
    const title = `Delete this ${noun} of ${rule.kind}?`;
    const text = `It runs no more. What it already began goes on.`;
    if (!(await confirmed({ title, text, action: 'Delete', danger: true }))) return;
    await this.change(async () => {
      await write(`${path}/${rule.id}/delete/`);
      say(`The ${noun} was deleted.`);
      return undefined;
    });
  }
}

type TradingRule = Rules['conversions'][number];

const TYPES = {
  payout: {
    title: 'Automatic payouts',
    noun: 'automatic payout',
    path: 'automatic-payouts',
    empty:
      'No automatic payouts yet. They send a wallet’s surplus to an address you choose, such as your own cold wallet.',
  },
  conversion: {
    title: 'Automatic conversions',
    noun: 'automatic conversion',
    path: 'automatic-conversions',
    empty: 'No automatic conversions yet. They sell a wallet’s surplus for another coin.',
  },
  funding: {
    title: 'Automatic funding',
    noun: 'automatic funding',
    path: 'automatic-funding',
    empty: 'No automatic funding yet. It buys what a wallet lacks, so that payouts do not wait.',
  },
} as const;

/** Whether an active rule pays to an address, or more than it did. */
function movesMoney(before: Values | null, values: Values): boolean {
  if (values['is_enabled'] === undefined) return false;
  const terms = ['recipient_address', 'keep_amount', 'min_amount', 'is_enabled'];
  return before === null || terms.some((name) => before[name] !== values[name]);
}

/** The address is shown alone, so that it is compared. */
async function isSure({ recipient_address = '' }: Values): Promise<boolean> {
  const text = html`<p>Compare the address with the one in your own wallet:</p>
    <p>${code(recipient_address)}</p>
    <p>Payments to it need no further approval. They can’t be taken back.</p>`;
  const question = { title: 'Send money to this address?', text, action: 'Activate', danger: true };
  return (await confirmed(question)) !== null;
}

const RUNS: readonly Column<Rule>[] = [
  { head: 'State', cell: ({ is_enabled }) => badge(is_enabled ? 'on' : 'off') },
  { head: 'Last run', cell: ({ last_at }) => time(last_at) },
  { head: 'Last result', cell: result },
  { head: 'Next run', cell: ({ next_at }) => time(next_at) },
];

function result({ last, last_at, error }: Rule): TemplateResult | string {
  if (last === null) return untrusted(error ?? (last_at === null ? null : 'nothing to do'));
  const { amount, currency, status, payout_id } = last;
  return html`${money(amount, currency)} ${badge(status)}
  ${payout_id === null ? '' : link('payouts', payout_id)} ${error === null ? '' : untrusted(error)}`;
}

const tooMuch = ({ keep_amount }: Rule): string =>
  keep_amount === '0' ? 'all that is there' : `what is above ${grouped(keep_amount)}`;

/** `Every hour: what is above 0.05, from 0.01, at most 1`. */
function when({ every_minutes, min_amount }: Rule, what: string, max?: string): string {
  const from = min_amount === '0' ? '' : `, from ${grouped(min_amount)}`;
  return `Every ${span(every_minutes)}: ${what}${from}${max === undefined ? '' : `, at most ${grouped(max)}`}`;
}
