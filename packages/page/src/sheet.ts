/** The page around the element; its colours are the element's own. */
export const PAGE_CSS =
  ':root{color-scheme:light dark;font:max(1rem,16px)/1.5 system-ui,sans-serif;background:light-dark(#eef1f5,#090d12);color:light-dark(#15202b,#edf1f5)}' +
  'body{margin:0;padding:clamp(.5rem,3vw,3rem)}main{max-width:46rem;margin:auto}' +
  '.message{max-width:30rem;padding:2rem;border-radius:18px;background:light-dark(#fff,#12181f);text-align:center}' +
  'h1{font-size:1.35em;line-height:1.25;margin:0 0 .5em}p{margin:0 0 1em}a{color:light-dark(#2746c7,#aabdff)}';
