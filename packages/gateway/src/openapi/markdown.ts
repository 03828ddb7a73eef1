/** Escapes text for HTML elements and attributes. */
export const escape = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '&#39;',
  );

/** The subset of Markdown that our descriptions use: paragraphs, tables, `code`. */
export function markdown(text: string): string {
  return text
    .split('\n\n')
    .map((block) => (block.startsWith('|') ? table(block) : `<p>${inline(block)}</p>`))
    .join('\n');
}

/** A sentence with `code` in it. */
export const inline = (text: string): string =>
  escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');

function table(block: string): string {
  const [head = [], , ...rows] = block.split('\n').map((line) => line.split('|').slice(1, -1));
  const row = (cells: readonly string[], tag: 'td' | 'th') =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`).join('')}</tr>`;
  return `<div class="wide" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>`;
}
