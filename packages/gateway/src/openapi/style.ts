/**
 * Styles of the reference: one column on a phone, contents beside it on a desktop, dark with the
 * system's theme.
 */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d5dae1; --edge: #7b8591; --paper: #fff; --tint: #f4f6f8; --link: #0b57c2;
  --get: #0b6b3a; --post: #0b57c2; --put: #8a4b00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --soft: #a3adb8; --line: #343b44; --edge: #7a8694; --paper: #14171a; --tint: #1d2126; --link: #8ab8ff;
    --get: #6fd39b; --post: #8ab8ff; --put: #f0b36a; --delete: #ff9d94; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 7rem; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { padding: .1em .3em; border-radius: 4px; background: var(--tint); overflow-wrap: anywhere; }
pre { margin: .75rem 0; padding: .85rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--tint); }
pre code { padding: 0; background: none; overflow-wrap: normal; }
h1 { margin: 0 0 .25rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 3rem 0 .25rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: 1.4rem; }
h3 { margin: 2.25rem 0 .25rem; font-size: 1.1rem; }
h4 { margin: 1.25rem 0 .25rem; font-size: .95rem; }
p { max-width: 46rem; margin: .5rem 0; }
.soft { color: var(--soft); }
.path { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; margin: .25rem 0; }
.path code { background: none; padding: 0; }
.method { font: 700 .8rem/1 ui-monospace, Menlo, Consolas, monospace; }
.GET { color: var(--get); } .POST { color: var(--post); } .PUT { color: var(--put); } .DELETE { color: var(--delete); }
.self { color: inherit; text-decoration: none; }
.self:hover { text-decoration: underline; }
.code { position: relative; margin: .75rem 0; }
.code pre { margin: 0; padding-right: 5rem; }
.copy { position: absolute; top: .4rem; right: .4rem; }
button, input, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 6px; }
button { min-height: 2rem; padding: 0 .7rem; font-size: .85rem; cursor: pointer; }
input, select { min-height: 2.5rem; padding: 0 .6rem; }
.ts, :root:has(#language [value=ts]:checked) .sh { display: none; }
:root:has(#language [value=ts]:checked) .ts { display: block; }
header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .6rem 1rem;
  background: var(--paper); border-bottom: 1px solid var(--line); }
header form { flex: 1 1 12rem; max-width: 46rem; position: relative; }
header form[hidden] { display: none; }
#search { width: 100%; }
#said { position: absolute; right: 2.5rem; top: .45rem; margin: 0; font-size: .85rem; color: var(--soft); pointer-events: none; }
#results { position: absolute; inset: calc(100% + .25rem) 0 auto; max-height: min(70vh, 30rem); margin: 0; padding: .35rem; overflow-y: auto; list-style: none;
  background: var(--paper); border: 1px solid var(--edge); border-radius: 8px; }
#results[hidden] { display: none; }
#results a { display: block; padding: .5rem .6rem; text-decoration: none; border-radius: 6px; }
#results a:hover { background: var(--tint); }
#results code { color: var(--soft); background: none; padding: 0; }
header label { font-size: .9rem; color: var(--soft); }
.wide { overflow-x: auto; margin: .75rem 0; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th, td { padding: .45rem .75rem .45rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
td:first-child code { white-space: nowrap; }
td:last-child { min-width: 14rem; }
.limits { display: block; color: var(--soft); font-size: .9em; }
.needed { color: var(--delete); font-size: .85em; white-space: nowrap; }
summary { cursor: pointer; color: var(--link); padding: .35rem 0; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { margin: 0; }
nav > ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
nav ul ul { display: none; }
nav a { display: block; padding: .45rem 0; text-decoration: none; }
nav .group { font-weight: 600; }
nav [aria-current] { font-weight: 600; text-decoration: underline; }
.values { line-height: 2; }
section > ul { padding-left: 1.25rem; line-height: 2; }
@media screen {
  @supports selector(:has(*)) {
    main:not(:target) > section, main:not(:target) article { display: none; }
    main > section:has(:target), main:not(:target, :has(:target)) > section:first-of-type, main article:has(:target) { display: block; }
    main section:has(article :target) > :is(p, ul) { display: none; }
    main:not(:target) section > h2 { margin-top: 1.5rem; }
  }
}
nav, main { padding: 1rem; }
nav { border-bottom: 1px solid var(--line); }
main { min-width: 0; max-width: 62rem; }
footer { margin-top: 4rem; color: var(--soft); }
@media (min-width: 60rem) {
  html { scroll-padding-top: 5rem; }
  body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  header { grid-column: 1 / -1; padding-inline: 1.5rem; }
  nav > ul, nav ul ul { display: block; }
  nav .group { margin-top: .75rem; color: var(--ink); }
  nav { position: sticky; top: 3.8rem; height: calc(100vh - 3.8rem); overflow-y: auto; padding: 1.5rem; border: 0 solid var(--line); border-right-width: 1px; font-size: .92rem; }
  nav a { padding: .15rem 0; }
  main { padding: 2rem 3rem 4rem; }
}
@media (max-width: 40rem) {
  thead { position: absolute; left: -99rem; }
  tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  td { display: block; padding: .1rem 0; border: 0; }
  td:first-child code { white-space: normal; }
}
@media print { nav, header, .copy { display: none; } details > * { display: block; } }
`;
