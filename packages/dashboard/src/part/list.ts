import { type TemplateResult, html, nothing } from 'lit';
import type { Page } from '@crypto-checkout/protocol/dashboard';
import { type Route, pathTo } from '../route.ts';
import { go } from '../navigate.ts';
import { valuesOf } from './form.ts';
import { type Column, table } from './table.ts';
import { count } from './text.ts';

export interface Filter {
  /** The API's name of the filter. */
  name: string;
  label: string;
  /** Values to choose from; without them the filter is a text field. */
  options?: readonly (readonly [value: string, label: string])[];
  /** Whether the value is a day; the API reads it in UTC. */
  day?: boolean;
}

export interface ListOptions<T> {
  route: Route;
  /** Noun of the rows, such as `invoice`. */
  noun: string;
  filters: readonly Filter[];
  columns: readonly Column<T>[];
  /** Text of an empty list. */
  empty: TemplateResult | string;
}

/** A list with filters and pages, all of them in its address. */
export function list<T>(
  { pagination, result }: Page<T>,
  { route, noun, filters, columns, empty }: ListOptions<T>,
): TemplateResult {
  const query = new URLSearchParams(route.query);
  const filtered = filters.some(({ name }) => query.get(name));
  const caption = `${count(pagination.count, noun)}${filtered ? ' that match the filters' : ''}${pages(pagination.num_pages, pagination.page)}`;
  return html`
    ${form(route, query, filters)}
    ${
      result.length > 0
        ? table(caption, columns, result)
        : html`<div class="empty">
            ${
              filtered || pagination.count > 0
                ? html`<p>
                    No entry matches the filters. <a href=${pathTo(route.view)}>Show everything</a>
                  </p>`
                : html`<p>${empty}</p>`
            }
          </div>`
    }
    ${pager(route, query, pagination)}
  `;
}

const pages = (all: number, page: number): string => (all > 1 ? `, page ${page} of ${all}` : '');

function form({ view }: Route, query: URLSearchParams, filters: readonly Filter[]): TemplateResult {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    go(pathTo(view, null, valuesOf(event)), 'stay');
  };
  return html`<form class="filters" role="search" @submit=${submit}>
    ${filters.map(
      ({ name, label, options, day }) =>
        html`<label>
          <span>${label}</span>
          ${
            options
              ? html`<select name=${name}>
                  <option value="">Any</option>
                  ${options.map(([value, text]) => html`<option value=${value} ?selected=${query.get(name) === value}>${text}</option>`)}
                </select>`
              : html`<input
                  name=${name}
                  type=${day ? 'date' : 'text'}
                  .value=${query.get(name) ?? ''}
                  autocomplete="off"
                  spellcheck="false"
                />`
          }
        </label>`,
    )}
    <button type="submit">Filter</button>
  </form>`;
}

function pager(
  { view }: Route,
  query: URLSearchParams,
  { num_pages, page, previous_page, next_page }: Page<unknown>['pagination'],
) {
  if (num_pages < 2) return nothing;
  const to = (p: number): string =>
    pathTo(view, null, { ...Object.fromEntries(query), p: String(p) });
  return html`<nav class="pages" aria-label="Pages">
    ${previous_page === null ? html`<span></span>` : html`<a rel="prev" href=${to(previous_page)}>Newer</a>`}
    <span>Page ${page} of ${num_pages}</span>
    ${next_page === null ? html`<span></span>` : html`<a rel="next" href=${to(next_page)}>Older</a>`}
  </nav>`;
}
