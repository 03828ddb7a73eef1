import type { TemplateResult } from 'lit';

const copies: Record<string, TemplateStringsArray> = {};

/**
 * Draws a template anew when its key changes, as Lit's `keyed` does, but without a directive: Lit
 * keeps what is drawn only for the same array of strings, so each key has its own copy. No two
 * templates may have a key in common.
 */
export function drawAnew(key: string, template: TemplateResult): TemplateResult {
  const { strings } = template;
  copies[key] ??= Object.assign([...strings], { raw: strings.raw });
  return { ...template, strings: copies[key] };
}
