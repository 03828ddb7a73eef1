/** Which attribute each property of the button is. */
export const ATTRIBUTES = {
  server: 'server',
  order: 'order',
  checkoutId: 'checkout',
  invoice: 'invoice',
  kind: 'kind',
  locale: 'locale',
  successUrl: 'success-url',
  mode: 'mode',
  theme: 'theme',
  demo: 'demo',
} as const;

/** What the names of properties come to as attributes: so a framework's server writes them, and who takes HTML for JavaScript. */
const ALSO: Readonly<Record<string, string>> = { checkout: 'checkoutid', 'success-url': 'successurl' };

/** Every name of an attribute, those that are meant first. */
export const NAMES: string[] = [...Object.values(ATTRIBUTES), ...Object.values(ALSO)];

/** What an attribute says, by either name. None is rewritten: a framework would find something else than its server drew. */
export const readAttribute = (host: HTMLElement, name: string): string | null =>
  host.getAttribute(name) ?? host.getAttribute(ALSO[name] ?? name);

/**
 * Gives the button its properties, each of which is its attribute. They come with the dialog, because the first script is small: what the
 * page has set before is taken over.
 * @param shown - What its checkout shows now.
 */
export function giveProperties(host: HTMLElement, shown: () => unknown): void {
  for (const [name, attribute] of Object.entries(ATTRIBUTES)) give(host, name, attribute, () => readAttribute(host, attribute));
  // Frameworks set attributes as properties of the same name.
  give(host, 'checkout', 'checkout', shown);
}

function give(host: HTMLElement, name: string, attribute: string, get: () => unknown): void {
  const before: unknown = Object.getOwnPropertyDescriptor(host, name)?.value;
  const set = (value: unknown): void => {
    if (value == null) for (const one of [attribute, ALSO[attribute] ?? attribute]) host.removeAttribute(one);
    else host.setAttribute(attribute, value as string);
  };
  Object.defineProperty(host, name, { get, set, enumerable: true, configurable: true });
  if (before != null) set(before);
}
