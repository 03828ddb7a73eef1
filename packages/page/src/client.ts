/** The hosted page's script: takes over what the server has drawn. */
import './hydrate.ts';
import '@crypto-checkout/elements/embed';

// In a shop's page, as the guest of its frame.
if (document.documentElement.hasAttribute('data-frame')) void import('./guest.ts');
