/** The hosted page's script: hydrates the server-rendered element. */
import './hydrate.ts';
import '@crypto-checkout/elements/embed';

// In a frame it acts as the shop page's guest; otherwise it manages its own tab.
if (document.documentElement.hasAttribute('data-frame')) void import('./guest.ts');
else void import('./tab.ts');
