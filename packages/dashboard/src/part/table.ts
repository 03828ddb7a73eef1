import { type TemplateResult, html } from 'lit';

export interface Column<T> {
  head: string;
  cell(row: T): unknown;
  /** Right-aligned figures. */
  number?: boolean;
}

/**
 * A table with a caption, named columns and row headers. On a phone each row becomes a card
 * (style.css), which removes the table's roles, so they are set explicitly.
 * @param caption also the accessible name where it is hidden
 */
export function table<T>(
  caption: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
): TemplateResult {
  return html`<table role="table">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(({ head, number }) => html`<th role="columnheader" scope="col" class=${number ? 'number' : ''}>${head}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) =>
          html`<tr role="row">
            ${columns.map((column, index) => cell(column, row, index === 0))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function cell<T>({ head, cell, number }: Column<T>, row: T, first: boolean): TemplateResult {
  const value = cell(row);
  const kind = `${number ? 'number' : ''} ${value === '–' ? 'none' : ''}`;
  const content = html`<span class="label" aria-hidden="true">${head}</span
    ><span class="value">${value}</span>`;
  return first
    ? html`<th role="rowheader" scope="row" class=${kind}>${content}</th>`
    : html`<td role="cell" class=${kind}>${content}</td>`;
}
