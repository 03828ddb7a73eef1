import { ConfirmDialog, type Question } from './confirm.ts';

/** Asks in the page's one dialog. @returns whether the answer was yes */
export function confirmed(question: Question): Promise<boolean> {
  const dialog = document.querySelector<ConfirmDialog>('confirm-dialog');
  return dialog ? dialog.ask(question) : Promise.resolve(false);
}
