import { type CSSResult, css } from 'lit';

const still: CSSResult = css`
  html {
    overflow: hidden;
  }
`;
/** Where a scroll bar takes room, the room stays: nothing behind a dialog moves when it opens. */
const stillWithBar: CSSResult = css`
  html {
    overflow: hidden;
    scrollbar-gutter: stable;
  }
`;

/** Who keeps the page still: several may, one inside the other. */
const holders = new Set<object>();
let held: CSSStyleSheet | undefined;

/** Keeps the page behind a dialog from scrolling, until everybody who asked for it is done. */
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
