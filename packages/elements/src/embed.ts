/** Script tag without the button: registers the elements and exports nothing. */
import './components/checkout/checkout.ts';
import './lazy/lazy-modules.ts';
import { setPickerLoader } from './core/lazy-registry.ts';

// The package of the elements has it statically.
setPickerLoader(() => import('./lazy/picker.ts'));
