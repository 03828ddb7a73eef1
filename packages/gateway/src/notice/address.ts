/** Returns whether a text is one plain e-mail address: no display name, no list, no line break. */
export function isAddress(text: string): boolean {
  return (
    text.length <= 254 && /^[^\s\p{Cc}<>()[\]\\,;:@"]+@[^\s\p{Cc}<>()[\]\\,;:@"]+$/u.test(text)
  );
}

/**
 * The address of a sender setting, with or without a display name: `Shop <notices@shop.example>`.
 */
export function addressOfSender(from: string): string | null {
  const inside = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(from)?.[1] ?? from;
  return isAddress(inside) ? inside : null;
}
