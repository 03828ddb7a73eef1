/**
 * The script for a page whose server has rendered the element (`renderCheckout`): hydrates it.
 * Other pages use the smaller script.
 */
import './hydrate.ts';
import '@crypto-checkout/elements/script';
