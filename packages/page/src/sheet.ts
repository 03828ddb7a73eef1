/** The page around the element; its colours are the element's own. */
export const PAGE_CSS =
  ':root{color-scheme:light dark;font:max(1rem,16px)/1.5 system-ui,sans-serif;background:light-dark(#eef1f5,#090d12);color:light-dark(#15202b,#edf1f5)}' +
  '[data-theme=light]{color-scheme:light}[data-theme=dark]{color-scheme:dark}' +
  'body{margin:0;padding:clamp(.5rem,3vw,3rem)}main{max-width:46rem;margin:auto}' +
  // In a shop's page it takes all of its frame, and shows what is behind it.
  '[data-frame]{background:none}[data-frame] body{padding:0}[data-frame] main{max-width:none}' +
  '.message{max-width:30rem;padding:2rem;border-radius:18px;background:light-dark(#fff,#12181f);text-align:center}' +
  '.more{display:block;padding:1rem;text-align:center}' +
  '.onramp{margin:1rem 0;padding:1rem;border-radius:12px;background:light-dark(#fff,#12181f)}summary{font-weight:600;cursor:pointer}' +
  'iframe{display:block;inline-size:100%;block-size:44rem;border:0;background:#fff}' +
  'h1{font-size:1.35em;line-height:1.25;margin:0 0 .5em}p{margin:.5em 0 1em}a{color:light-dark(#2746c7,#aabdff)}' +
  'summary,.more,.button{min-block-size:24px}' +
  '@media print{:root{background:none;color-scheme:light}body{padding:0}.onramp{display:none}}';
