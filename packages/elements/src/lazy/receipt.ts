/** The receipt; loaded when the buyer opens it. */
// They share code: a bundler keeps it in that file.
import './status.ts';

export { drawReceipt } from '../status/receipt.ts';
