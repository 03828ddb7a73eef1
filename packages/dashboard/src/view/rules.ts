import { type TemplateResult, html } from 'lit';
import type { Rule, Rules } from '@crypto-checkout/protocol/dashboard';
import { type Column, table } from '../part/table.ts';
import { badge, code, count, grouped, link, money, untrusted, span, time } from '../part/text.ts';
import { View } from '../part/view.ts';
import { read } from '../server.ts';

/** Automatic rules, read-only: they are managed through the API or the command line. */
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

  protected override content({ payouts, conversions, fundings }: Rules): TemplateResult {
    return html`
      ${rules(
        'Automatic payouts',
        payouts,
        `send what a wallet has too much of to an address; ${BY_OPERATOR}`,
        [
          { head: 'Wallet', cell: ({ wallet_name }) => wallet_name },
          {
            head: 'Sends',
            cell: ({ kind, recipient_address }) => html`${kind} to ${code(recipient_address)}`,
          },
          { head: 'When', cell: (rule) => when(rule, tooMuch(rule)) },
        ],
      )}
      ${rules(
        'Automatic conversions',
        conversions,
        `sell what a wallet has too much of; ${BY_INTERFACE}`,
        [
          { head: 'Wallet', cell: ({ wallet_name }) => wallet_name },
          {
            head: 'Sells',
            cell: ({ kind, to_kind, to_wallet_name }) =>
              html`${kind} for ${to_kind} in ${to_wallet_name}`,
          },
          { head: 'When', cell: (rule) => when(rule, tooMuch(rule), rule.max_amount) },
        ],
      )}
      ${rules(
        'Automatic funding',
        fundings,
        `buy what a wallet has too little of; ${BY_INTERFACE}`,
        [
          { head: 'Wallet', cell: ({ to_wallet_name }) => to_wallet_name },
          {
            head: 'Buys',
            cell: ({ kind, to_kind, wallet_name }) =>
              html`${to_kind} for ${kind} of ${wallet_name}`,
          },
          {
            head: 'When',
            cell: (rule) =>
              when(rule, `what is missing to ${grouped(rule.keep_amount)}`, rule.max_amount),
          },
        ],
      )}
    `;
  }
}

const BY_INTERFACE = 'they are made through the interface';
const BY_OPERATOR = `${BY_INTERFACE}, or on the command line by automatic-payouts create`;

function rules<T extends Rule>(
  title: string,
  all: readonly T[],
  what: string,
  columns: readonly Column<T>[],
): TemplateResult {
  return html`<section class="card">
    <h2>${title} <span class="count">${all.length}</span></h2>
    ${all.length > 0 ? table(title, [...columns, ...RUNS], all) : html`<p>No ${title.toLowerCase()} yet. They ${what}.</p>`}
  </section>`;
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
