import { type Answer, ConfirmDialog, type Question } from './confirm.ts';

/**
 * Opens the page's confirmation dialog.
 * @returns the values of its fields; null when it was cancelled
 */
export function confirmed(question: Question): Promise<Answer> {
  const dialog = document.querySelector<ConfirmDialog>('confirm-dialog');
  return dialog ? dialog.ask(question) : Promise.resolve(null);
}
