/** The hosted page's script: hydrates the server-rendered element. */
import './hydrate.ts';
import { loadPaying } from './hosted/modules.ts';
import '@crypto-checkout/elements/checkout';

// In a frame it acts as the shop page's guest; otherwise it manages its own tab.
if (document.documentElement.hasAttribute('data-frame')) void import('./guest.ts');
else void loadPaying().then(({ followTitle }) => followTitle());
