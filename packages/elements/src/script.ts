/** The script for the tag: registers all elements. */
import './embed.ts';
import './button.ts';
import { loadPicker } from './later.ts';

// A coin picker may stand on a page alone.
void loadPicker();
