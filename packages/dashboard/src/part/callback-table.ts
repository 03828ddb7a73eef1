import { type TemplateResult, html } from 'lit';
import type { ListedCallback } from '../answers.ts';
import { type Column, table } from './table.ts';
import { badge, code, link, time, words } from './text.ts';

export const CALLBACK_COLUMNS: readonly Column<ListedCallback>[] = [
  { head: 'Callback', cell: ({ id, event }) => link('callbacks', id, words(event)) },
  { head: 'About', cell: ({ resource, resource_id }) => link(`${resource}s`, resource_id, `${resource} ${resource_id.slice(0, 8)}`) },
  { head: 'State', cell: ({ state }) => badge(state) },
  { head: 'Last answer', cell: ({ last_status_code, last_error }) => last_status_code ?? last_error ?? '–' },
  { head: 'Sent', number: true, cell: ({ attempts, resends }) => `${attempts + resends} ×` },
  { head: 'Address', cell: ({ url }) => code(url) },
  { head: 'Made', cell: ({ created_at_real }) => time(created_at_real) },
];

/** What the profile's address was told about one thing. */
export function callbackTable(callbacks: readonly ListedCallback[]): TemplateResult {
  if (callbacks.length > 0) return table('Callbacks, oldest first', CALLBACK_COLUMNS, callbacks);
  return html`<p>No callback was made yet. They go to the callback address of the profile; without one nobody is told.</p>`;
}
