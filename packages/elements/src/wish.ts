import type { Show } from './panel.ts';

/** What the buyer asks the server for. */
export interface Wish {
  what: 'payment' | 'renew';
  body: Record<string, unknown>;
}

/** What a form would send without a script: fields, the button that was pressed, and the last word of its address. */
export function wishOf(form: HTMLFormElement, submitter: HTMLElement | null): Wish {
  const button = submitter as HTMLButtonElement | null;
  const fields = new FormData(form);
  if (button?.name) fields.set(button.name, button.value);
  return {
    what: form.getAttribute('action')?.split('/').pop() as Wish['what'],
    body: Object.fromEntries([...fields].map(([name, value]) => [name, value === 'true' || value])),
  };
}

/** What a link that was clicked shows, when that is all that it does. With a modifier key it is a link like any other. */
export function showOf(event: MouseEvent): Show | undefined {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  const show = event.composedPath().find((node) => node instanceof HTMLAnchorElement)?.dataset['show'];
  if (show) event.preventDefault();
  return show as Show | undefined;
}
