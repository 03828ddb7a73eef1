/**
 * Styles of the reference: one column on a phone, contents beside it on a desktop, dark with the
 * system's theme.
 */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d5dae1; --paper: #fff; --tint: #f4f6f8; --link: #0b57c2;
  --get: #0b6b3a; --post: #0b57c2; --put: #8a4b00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --soft: #a3adb8; --line: #343b44; --paper: #14171a; --tint: #1d2126; --link: #8ab8ff;
    --get: #6fd39b; --post: #8ab8ff; --put: #f0b36a; --delete: #ff9d94; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
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
.anchor { margin-left: .4rem; text-decoration: none; color: var(--soft); }
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
.values { line-height: 2; }
nav, main { padding: 1rem; }
nav { border-bottom: 1px solid var(--line); }
main { min-width: 0; max-width: 62rem; }
footer { margin-top: 4rem; color: var(--soft); }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  nav > ul, nav ul ul { display: block; }
  nav .group { margin-top: .75rem; color: var(--ink); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem; border: 0 solid var(--line); border-right-width: 1px; font-size: .92rem; }
  nav a { padding: .15rem 0; }
  main { padding: 2rem 3rem 4rem; }
}
@media (max-width: 40rem) {
  thead { position: absolute; left: -99rem; }
  tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  td { display: block; padding: .1rem 0; border: 0; }
  td:first-child code { white-space: normal; }
}
@media print { nav { display: none; } details > * { display: block; } }
`;
