import { type Answer, ConfirmDialog, type Question } from './confirm.ts';

/** Asks in the page's one dialog. @returns what was written into its fields; null when the answer was no */
export function confirmed(question: Question): Promise<Answer> {
  const dialog = document.querySelector<ConfirmDialog>('confirm-dialog');
  return dialog ? dialog.ask(question) : Promise.resolve(null);
}
