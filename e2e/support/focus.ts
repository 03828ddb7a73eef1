import { type Page, expect } from '@playwright/test';

/** The position of the keyboard focus. */
export interface Focus {
  tag: string;
  part: string;
  text: string;
  value: string;
  /** The previous position is above, or to the left in the same row; null at first. */
  inOrder: boolean | null;
  inCheckout: boolean;
  inDialog: boolean;
}

/** The element that has the focus, through all shadow roots. */
export const focusOf = (page: Page): Promise<Focus> =>
  page.evaluate(() => {
    let element = document.activeElement!;
    const around: Element[] = [element];
    while (element.shadowRoot?.activeElement)
      around.push((element = element.shadowRoot.activeElement));
    const memory = globalThis as unknown as { focusedBefore?: Element };
    const before = memory.focusedBefore;
    memory.focusedBefore = element;
    // A scrollable area counts as one position from outside.
    const place = (one: Element, other: Element): DOMRect => {
      const list = one.closest('fieldset');
      return (list && !list.contains(other) ? list : one).getBoundingClientRect();
    };
    const isInOrder = (first: Element): boolean => {
      const [above, here] = [place(first, element), place(element, first)];
      return (
        here.top >= above.bottom - 4 ||
        (here.top < above.bottom && here.bottom > above.top && here.left >= above.left)
      );
    };
    const inDialog = around.some((one) => one.closest('dialog[open]') !== null);
    return {
      tag: element.localName,
      part: element.getAttribute('part') ?? '',
      text: (element.textContent ?? '').replace(/\s+/g, ' ').trim(),
      value: (element as HTMLInputElement).value ?? '',
      inOrder: before?.isConnected && before !== element ? isInOrder(before) : null,
      inCheckout: around.some(({ localName }) => localName === 'crypto-checkout'),
      inDialog,
    };
  });

/**
 * Presses Tab until the focus is at the target.
 * @returns every position on the way, including the last
 */
export async function tabTo(
  page: Page,
  wanted: (focus: Focus) => boolean,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<Focus[]> {
  const places: Focus[] = [];
  for (let press = 0; press < 60; press += 1) {
    await page.keyboard.press(key);
    const focus = await focusOf(page);
    places.push(focus);
    if (wanted(focus)) return places;
  }
  throw new Error(
    `Tab never gets there, only to ${places.map(({ tag, part, text }) => `${tag}[${part}] "${text.slice(0, 30)}"`).join(', ')}`,
  );
}

export const tabToPart = (page: Page, part: string, text: string | RegExp = ''): Promise<Focus[]> =>
  tabTo(
    page,
    (focus) =>
      focus.part.split(' ').includes(part) &&
      (text instanceof RegExp ? text.test(focus.text) : focus.text.includes(text)),
  );

/** The focus order follows the reading order: down, and from left to right in a row. */
export function expectReadingOrder(places: readonly Focus[]): void {
  for (const [index, { text, part, tag, inOrder }] of places.entries())
    if (index)
      expect(inOrder, `"${text || part || tag}" comes after "${places[index - 1]?.text}"`).not.toBe(
        false,
      );
}
