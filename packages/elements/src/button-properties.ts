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

/**
 * Gives the button its properties, each of which is its attribute. They come with the dialog, because the first script is small: what the
 * page has set before is taken over.
 * @param shown - What its checkout shows now.
 */
export function giveProperties(host: HTMLElement, shown: () => unknown): void {
  for (const [name, attribute] of Object.entries(ATTRIBUTES)) give(host, name, attribute, () => host.getAttribute(attribute));
  // Frameworks set attributes as properties of the same name.
  give(host, 'checkout', 'checkout', shown);
}

function give(host: HTMLElement, name: string, attribute: string, get: () => unknown): void {
  // While there was no such property, a framework made an attribute of its name.
  const mistaken = name.toLowerCase();
  const early = mistaken === attribute ? null : host.getAttribute(mistaken);
  if (early !== null) host.removeAttribute(mistaken);
  const before: unknown = Object.getOwnPropertyDescriptor(host, name)?.value ?? early;
  const set = (value: unknown): void => {
    if (value == null) host.removeAttribute(attribute);
    else host.setAttribute(attribute, value as string);
  };
  Object.defineProperty(host, name, { get, set, enumerable: true, configurable: true });
  if (before != null) set(before);
}
