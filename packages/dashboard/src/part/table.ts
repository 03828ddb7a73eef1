import { type TemplateResult, html } from 'lit';

export interface Column<T> {
  head: string;
  cell(row: T): unknown;
  /** Figures stand below each other. */
  number?: boolean;
}

/**
 * A table with a caption, named columns and rows named by their first cell. On a phone each row stands as a card (style.css); the
 * roles are said because that takes them away.
 * @param caption also names it where it is not seen
 */
export function table<T>(caption: string, columns: readonly Column<T>[], rows: readonly T[]): TemplateResult {
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
  const kind = number ? 'number' : '';
  const content = html`<span class="label" aria-hidden="true">${head}</span><span class="value">${cell(row)}</span>`;
  return first ? html`<th role="rowheader" scope="row" class=${kind}>${content}</th>` : html`<td role="cell" class=${kind}>${content}</td>`;
}
