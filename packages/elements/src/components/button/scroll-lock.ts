import { type CSSResult, css } from 'lit';

const still: CSSResult = css`
  html {
    overflow: hidden;
  }
`;
/** Keeps the room of the scroll bar, so that nothing behind the dialog moves. */
const stillWithBar: CSSResult = css`
  html {
    overflow: hidden;
    scrollbar-gutter: stable;
  }
`;

/** Dialogs that lock the page; they can be nested. */
const holders = new Set<object>();
let held: CSSStyleSheet | undefined;

/** Prevents the page from scrolling until every holder has unlocked it. */
export function lockScroll(holder: object): void {
  holders.add(holder);
  if (held) return;
  held = (innerWidth > document.documentElement.clientWidth ? stillWithBar : still).styleSheet;
  if (held) document.adoptedStyleSheets = [...document.adoptedStyleSheets, held];
}

export function unlockScroll(holder: object): void {
  holders.delete(holder);
  if (holders.size) return;
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((style) => style !== held);
  held = undefined;
}
