const LONGEST = 254;

/** Whether a text is one plain e-mail address: no display name, no list, no line break. */
export const isMailAddress = (text: string): boolean =>
  text.length <= LONGEST && /^[^\s\p{Cc}<>()[\]\\,;:@"]+@[^\s\p{Cc}<>()[\]\\,;:@"]+$/u.test(text);
