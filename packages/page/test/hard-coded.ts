import { type DefaultTreeAdapterTypes as Tree, parseFragment } from 'parse5';
import { Visitor, parseSync } from 'vite';

/** Attributes and properties that are shown, or read to somebody. */
const READ = /^\.?(?:alt|label|placeholder|title|aria-?(?:braillelabel|description|label|placeholder|roledescription|valuetext))$/i;
const WORD = /\p{L}{2}/u;
/** Words side by side, as selectors and media queries hardly ever have them. */
const SEVERAL = /\p{L}{2,} \p{L}{2,}/u;
/** Where an expression stands in a template: no letter, and nothing that HTML knows. */
const VALUE = '\u{e000}';

interface Span {
  start: number;
  end: number;
}

/**
 * The texts in a source that no translator is given: every word in markup and in the attributes that are read, and strings of several words
 * anywhere else. What `msg` is called with is a message.
 */
export function hardCoded(source: string): string[] {
  const found: (Span & { text: string })[] = [];
  const messages: Span[] = [];
  const tagged = new Set<number>();
  const note = ({ start, end }: Span, text: string): unknown => found.push({ start, end, text });
  new Visitor({
    CallExpression(call) {
      if (call.callee.type === 'Identifier' && call.callee.name === 'msg') messages.push(call);
    },
    TaggedTemplateExpression({ tag, quasi }) {
      tagged.add(quasi.start);
      if (tag.type !== 'Identifier' || !['html', 'svg'].includes(tag.name)) return;
      for (const text of textsIn(quasi.quasis.map(({ value }) => value.cooked ?? value.raw).join(VALUE))) note(quasi, text);
    },
    TemplateLiteral(template) {
      const text = template.quasis.map(({ value }) => value.cooked ?? value.raw).join('…');
      if (!tagged.has(template.start) && SEVERAL.test(text)) note(template, text);
    },
    Literal(literal) {
      if (typeof literal.value === 'string' && SEVERAL.test(literal.value)) note(literal, literal.value);
    },
  }).visit(parseSync('source.ts', source).program);
  const isMessage = ({ start, end }: Span): boolean => messages.some((one) => one.start <= start && end <= one.end);
  return found.filter((span) => !isMessage(span)).map(({ text }) => text);
}

/** What a template says by itself. */
function textsIn(markup: string): string[] {
  const texts: string[] = [];
  const walk = (node: Tree.ChildNode | Tree.DocumentFragment): void => {
    if (node.nodeName === 'style') return;
    if (node.nodeName === '#text') texts.push((node as Tree.TextNode).value);
    if ('attrs' in node) texts.push(...node.attrs.filter(({ name }) => READ.test(name)).map(({ value }) => value));
    if ('content' in node) walk(node.content);
    if ('childNodes' in node) node.childNodes.forEach(walk);
  };
  walk(parseFragment(markup));
  return texts.filter((text) => WORD.test(text)).map((text) => text.replaceAll(VALUE, '…').trim());
}
