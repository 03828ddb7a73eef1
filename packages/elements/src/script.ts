/** Script tag: registers all elements. */
import './embed.ts';
import './components/button/button.ts';
import { loadPicker } from './core/lazy-registry.ts';

// A page may use a coin picker alone.
void loadPicker();
