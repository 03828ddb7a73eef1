/** Advice for developers; loaded after everything that a buyer needs. */
export { checkAttributes, checkNames } from '../advice/attribute-advice.ts';
export { explainError, warnIfEmpty } from '../advice/setup-advice.ts';
