/** Whether a text is one plain e-mail address: no name, no list, nothing that begins a header. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s\p{Cc}<>()[\]\\,;:@"]+@[^\s\p{Cc}<>()[\]\\,;:@"]+$/u.test(text);
}

/** The address of a sender as a setting gives it, with or without a name: `Shop <notices@shop.example>`. */
export function addressIn(from: string): string | null {
  const inside = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(from)?.[1] ?? from;
  return isAddress(inside) ? inside : null;
}
