import { type DefaultTreeAdapterTypes as Tree, html as names, parse } from 'parse5';

type Node = Tree.ChildNode | Tree.Document | Tree.DocumentFragment;

export interface Seen {
  /** `name[attribute …]` of every element, in document order, shadow roots included. */
  elements: string[];
  links: string[];
  text: string;
  snapshot: string | null;
  /** Values of all attributes except `snapshot`. */
  values: string[];
  comments: number;
}

/** Parses a page as a browser does, with or without scripting. */
export function readPage(html: string, { scripting }: { scripting: boolean }): Seen {
  const seen: Seen = { elements: [], links: [], text: '', snapshot: null, values: [], comments: 0 };
  const walk = (node: Node): void => {
    if (node.nodeName === '#comment') seen.comments += 1;
    if (node.nodeName === '#text') seen.text += (node as Tree.TextNode).value;
    if ('tagName' in node) {
      seen.elements.push(
        `${node.namespaceURI === names.NS.HTML ? '' : 'svg:'}${node.tagName}[${node.attrs.map(({ name }) => name).join(' ')}]`,
      );
      for (const { name, value } of node.attrs) {
        if (['href', 'src', 'action', 'formaction', 'data', 'srcdoc'].includes(name))
          seen.links.push(value);
        if (name === 'snapshot') seen.snapshot = value;
        else seen.values.push(value);
      }
    }
    if ('content' in node) walk(node.content);
    if ('childNodes' in node) node.childNodes.forEach(walk);
  };
  walk(parse(html, { scriptingEnabled: scripting }));
  return seen;
}
