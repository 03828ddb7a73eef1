const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for element content and quoted attributes. */
export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
