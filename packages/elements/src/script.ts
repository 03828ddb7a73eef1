/** The script for the tag: registers all elements. */
import './embed.ts';
import './button.ts';
