import { type TemplateResult, html } from 'lit';
import type { ListedCallback } from '@crypto-checkout/protocol/dashboard';
import { type Column, table } from './table.ts';
import { badge, code, link, time, words } from './text.ts';

export const CALLBACK_COLUMNS: readonly Column<ListedCallback>[] = [
  { head: 'Callback', cell: ({ id, event }) => link('callbacks', id, words(event)) },
  {
    head: 'About',
    cell: ({ resource, resource_id }) =>
      link(`${resource}s`, resource_id, `${resource} ${resource_id.slice(0, 8)}`),
  },
  { head: 'State', cell: ({ state }) => badge(state) },
  { head: 'Last answer', cell: lastAnswer },
  { head: 'Sent', number: true, cell: ({ attempts, resends }) => `${attempts + resends}\u00a0×` },
  { head: 'Address', cell: ({ url }) => code(url) },
  { head: 'Created', cell: ({ created_at_real }) => time(created_at_real, true) },
];

/** Callbacks of one resource. */
export function callbackTable(callbacks: readonly ListedCallback[]): TemplateResult {
  if (callbacks.length > 0) return table('Callbacks, oldest first', CALLBACK_COLUMNS, callbacks);
  return html`<p>
    No callback was made yet. They go to the callback address of the profile; without one, none is
    sent.
  </p>`;
}

/** An attempt without an outcome is in progress. */
function lastAnswer({
  state,
  attempts,
  last_at_real,
  last_status_code,
  last_error,
}: ListedCallback): string | number {
  if (state === 'pending' && attempts > 0 && last_at_real === null) return 'being sent …';
  return last_status_code ?? last_error ?? '–';
}
