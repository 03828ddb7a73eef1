import { type DefaultTreeAdapterTypes as Tree, parseFragment } from 'parse5';
import { Visitor, parseSync } from 'vite';

/** Attributes and properties that are visible or read aloud. */
const READ =
  /^\.?(?:alt|label|placeholder|title|aria-?(?:braillelabel|description|label|placeholder|roledescription|valuetext))$/i;
const WORD = /\p{L}{2}/u;
/** Adjacent words; selectors and media queries hardly ever contain them. */
const SEVERAL = /\p{L}{2,} \p{L}{2,}/u;
/** Stands for an expression in a template: no letter, and no HTML syntax. */
const VALUE = '\u{e000}';

interface Span {
  start: number;
  end: number;
}

/**
 * The untranslated texts of a source: every word in markup and in visible attributes, and strings
 * of several words elsewhere. Arguments of `msg` are translated.
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
      for (const text of textsIn(
        quasi.quasis.map(({ value }) => value.cooked ?? value.raw).join(VALUE),
      ))
        note(quasi, text);
    },
    TemplateLiteral(template) {
      const text = template.quasis.map(({ value }) => value.cooked ?? value.raw).join('…');
      if (!tagged.has(template.start) && SEVERAL.test(text)) note(template, text);
    },
    Literal(literal) {
      if (typeof literal.value === 'string' && SEVERAL.test(literal.value))
        note(literal, literal.value);
    },
  }).visit(parseSync('source.ts', source).program);
  const isMessage = ({ start, end }: Span): boolean =>
    messages.some((one) => one.start <= start && end <= one.end);
  return found.filter((span) => !isMessage(span)).map(({ text }) => text);
}

/** The literal texts of a template. */
function textsIn(markup: string): string[] {
  const texts: string[] = [];
  const walk = (node: Tree.ChildNode | Tree.DocumentFragment): void => {
    if (node.nodeName === 'style') return;
    if (node.nodeName === '#text') texts.push((node as Tree.TextNode).value);
    if ('attrs' in node)
      texts.push(...node.attrs.filter(({ name }) => READ.test(name)).map(({ value }) => value));
    if ('content' in node) walk(node.content);
    if ('childNodes' in node) node.childNodes.forEach(walk);
  };
  walk(parseFragment(markup));
  return texts.filter((text) => WORD.test(text)).map((text) => text.replaceAll(VALUE, '…').trim());
}
