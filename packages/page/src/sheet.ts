/**
 * Styles of the page around the element; its colours come from the element. Content below the
 * element appears with the element's lower part. Space for a scroll bar is reserved, so that its
 * appearance moves nothing.
 */
export const PAGE_CSS =
  ':root{color-scheme:light dark;scrollbar-gutter:stable;font:max(1rem,16px)/1.5 system-ui,sans-serif;background:light-dark(#eef1f5,#090d12);color:light-dark(#15202b,#edf1f5)}' +
  'body{margin:0;padding:clamp(.5rem,3vw,3rem)}main{max-width:50rem;margin:auto}' +
  'main>h1{position:absolute;clip-path:inset(50%);font:inherit}' +
  'p{padding:1rem;text-align:center;overflow-wrap:anywhere}a{color:light-dark(#2746c7,#aabdff)}' +
  '@keyframes rest{from{display:none}}crypto-checkout:not(:defined)~*{animation:rest 1ms step-end}' +
  '@media print{:root{background:none;color-scheme:light}body{padding:0}}';

/** In a shop's page it fills its frame and is transparent. */
export const FRAME_CSS =
  '[data-theme=light]{color-scheme:light}[data-theme=dark]{color-scheme:dark}:root{background:none;scrollbar-gutter:auto}body{padding:0}main{max-width:none}';

const BOX = 'border-radius:18px;background:light-dark(#fff,#12181f)';

/** One message in place of a checkout. */
export const MESSAGE_CSS = `div{max-width:30rem;margin:auto;padding:2rem;${BOX};text-align:center}h1{font-size:1.35em;line-height:1.25;margin:0 0 .5em}p{margin:0;padding:0 0 1em}`;

/** A receipt, on the screen and on paper. */
export const RECEIPT_CSS = `div{padding:clamp(1rem,5vw,2.5rem);${BOX}}main h1{position:static;clip-path:none;font-size:1.35em;font-weight:700;margin:0}dl{display:grid;grid-template-columns:max-content 1fr;gap:.25em 1.5em;margin:1.25em 0 0;padding-block-start:1.25em;border-block-start:1px solid #8886}dt{opacity:.75}dd{margin:0;overflow-wrap:anywhere}p{padding:1.5em 0 0;margin:0;text-align:start}@media(max-width:30rem){dl{grid-template-columns:1fr}dd{margin-block-end:.5em}}form{display:flex;flex-wrap:wrap;align-items:end;gap:.75em;padding:1.5em 0 0}label{flex:1 1 14em}input,button{box-sizing:border-box;font:inherit;color:inherit;background:none;min-block-size:44px;padding:.5em .9em;border:1px solid #888;border-radius:12px}input{display:block;inline-size:100%;margin:.35em 0 0}@media print{p,form{display:none}div{padding:0}}`;

/** The form for a refund. */
export const REFUND_CSS = `div{max-width:34rem;margin:auto;padding:clamp(1rem,5vw,2.5rem);${BOX}}main h1{position:static;clip-path:none;font-size:1.35em;font-weight:700;margin:0 0 1em}p{padding:1em 0 0;margin:0}p a{display:inline-block;padding:.6em}`;

/** A third party's page below the checkout. */
export const ONRAMP_CSS =
  `details{margin:1rem 0;padding:1rem 1.5rem;${BOX}}summary{min-block-size:24px;font-weight:700;cursor:pointer}details p{padding:0;text-align:start}` +
  'iframe{display:block;inline-size:100%;block-size:44rem;border:0;background:#fff}@media print{details{display:none}}';
