/** The attribute of each property. */
export const ATTRIBUTES = {
  server: 'server',
  order: 'order',
  checkoutId: 'checkout',
  invoice: 'invoice',
  kind: 'kind',
  proofKey: 'proof-key',
  locale: 'locale',
  successUrl: 'success-url',
  mode: 'mode',
  header: 'header',
  redirectAfter: 'redirect-after',
  contact: 'contact',
  theme: 'theme',
  demo: 'demo',
} as const;

/**
 * Attribute names that result from property names: frameworks write them on a server, and HTML
 * lowercases them.
 */
const LOWERCASE_NAMES: Readonly<Record<string, string>> = {
  checkout: 'checkoutid',
  'success-url': 'successurl',
  'proof-key': 'proofkey',
  'redirect-after': 'redirectafter',
};

/** All attribute names, the documented ones first. */
export const NAMES: string[] = [...Object.values(ATTRIBUTES), ...Object.values(LOWERCASE_NAMES)];

/**
 * Reads an attribute by either name. No attribute is renamed, because hydration would find other
 * markup than the server's.
 */
export const readAttribute = (host: HTMLElement, name: string): string | null =>
  host.getAttribute(name) ?? host.getAttribute(LOWERCASE_NAMES[name] ?? name);

/**
 * Defines the button's properties, which reflect attributes. They come with the dialog to keep the
 * first script small; values that were set earlier are kept.
 * @param shown - Returns the current checkout.
 */
export function defineProperties(host: HTMLElement, shown: () => unknown): void {
  for (const [name, attribute] of Object.entries(ATTRIBUTES))
    defineProperty(host, name, attribute, () => readAttribute(host, attribute));
  // Frameworks set attributes as properties of the same name.
  defineProperty(host, 'checkout', 'checkout', shown);
}

function defineProperty(
  host: HTMLElement,
  name: string,
  attribute: string,
  get: () => unknown,
): void {
  const before: unknown = Object.getOwnPropertyDescriptor(host, name)?.value;
  const set = (value: unknown): void => {
    if (value == null)
      for (const one of [attribute, LOWERCASE_NAMES[attribute] ?? attribute])
        host.removeAttribute(one);
    else host.setAttribute(attribute, value as string);
  };
  Object.defineProperty(host, name, { get, set, enumerable: true, configurable: true });
  if (before != null) set(before);
}
