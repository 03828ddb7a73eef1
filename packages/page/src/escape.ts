const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text as it may stand between tags and in quoted attributes. */
export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
