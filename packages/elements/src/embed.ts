/** Script tag without the button: registers the elements and exports nothing. */
import './components/checkout/checkout.ts';
import './lazy/lazy-modules.ts';
