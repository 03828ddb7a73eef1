/** The hosted page's script: takes over what the server has drawn. */
import './hydrate.ts';
import '@crypto-checkout/elements/embed';

// In a shop's page, as the guest of its frame; else in a tab of its own.
if (document.documentElement.hasAttribute('data-frame')) void import('./guest.ts');
else void import('./tab.ts');
