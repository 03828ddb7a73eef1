import { loadExchange } from '../core/lazy-registry.ts';
import type { Failure } from '../server/checkout-server.ts';
import type { Show } from '../core/panel.ts';

/** A request of the buyer to the server. */
export interface FormRequest {
  what: 'payment' | 'renew';
  body: Record<string, unknown>;
}

/**
 * Reads what a form would send without a script: fields, the pressed button, and the last segment
 * of its address.
 */
export function readForm(form: HTMLFormElement, submitter: HTMLElement | null): FormRequest {
  const button = submitter as HTMLButtonElement | null;
  const fields = new FormData(form);
  if (button?.name) fields.set(button.name, button.value);
  return {
    what: form.getAttribute('action')?.split('/').pop() as FormRequest['what'],
    body: Object.fromEntries([...fields].map(([name, value]) => [name, value === 'true' || value])),
  };
}

/**
 * The view that a clicked link opens in place. Clicks with a modifier key are left to the browser.
 */
export function clickedView(event: MouseEvent): Show | undefined {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  const show = event.composedPath().find((node) => node instanceof HTMLAnchorElement)?.dataset[
    'show'
  ];
  if (show) event.preventDefault();
  return show as Show | undefined;
}

/** Loads the parts of the next view: they are on the screen when the change is announced. */
export const loadFormParts = ({ from }: FormRequest['body']): Promise<unknown> | undefined =>
  from === 'exchange' ? loadExchange() : undefined;

/** Whether a request was refused for its coin: 403 is about the page that sent it. */
export const isOfCoin = ({ code, message }: Failure): boolean =>
  code === 'refused' && !message.startsWith('403');

/** The choice of a coin; bitcoin's code also holds a lightning request where the shop has both. */
export const choiceOf = (kind: string): FormRequest => ({
  what: 'payment',
  body: { kind, ...(kind.startsWith('BTC') && { with_lightning: true }) },
});
