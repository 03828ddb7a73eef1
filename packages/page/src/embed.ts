/** The script for a page whose server has drawn the element (`renderCheckout`): takes it over. Any other page takes the smaller one. */
import './hydrate.ts';
import '@crypto-checkout/elements/script';
