/** The hosted page's script: takes over what the server has drawn. */
import './hydrate.ts';
import '@crypto-checkout/elements';
