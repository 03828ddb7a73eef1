/**
 * Search, copy buttons and the current place of the reference. The page is complete without them.
 * It builds elements and texts only, never markup.
 */
export const SCRIPT = `
const MAX = 30;
const box = document.getElementById('search');
const list = document.getElementById('results');
const said = document.getElementById('said');
let index;

const words = (text) => text.toLowerCase().split(/[^a-z0-9_]+/).filter(Boolean);
const flat = (text) => words(text).join(' ');

function readPage() {
  return [...document.querySelectorAll('article')].map((article) => {
    const path = [...article.querySelectorAll('.path .method, .path code')].map((part) => part.textContent).join(' ');
    const title = article.querySelector('h3').textContent;
    const names = [...article.querySelectorAll('td:first-child code')].map((code) => code.textContent);
    return { id: article.querySelector('h3').id, title, path, head: flat(title + ' ' + path), names: flat(names.join(' ')) };
  });
}

function find(query) {
  index ??= readPage();
  const asked = words(query);
  const hits = (text) => asked.every((word) => text.includes(word));
  const first = index.filter(({ head }) => hits(head));
  return [...first, ...index.filter((entry) => !first.includes(entry) && hits(entry.head + ' ' + entry.names))];
}

function show() {
  const query = box.value.trim();
  const found = query === '' ? [] : find(query);
  list.replaceChildren(
    ...found.slice(0, MAX).map(({ id, title, path }) => {
      const link = document.createElement('a');
      link.href = '#' + id;
      link.textContent = title;
      const where = document.createElement('code');
      where.textContent = path;
      if (path !== '') link.append(' ', where);
      const item = document.createElement('li');
      item.append(link);
      return item;
    }),
  );
  list.hidden = found.length === 0;
  said.textContent = query === '' ? '' : found.length === 0 ? 'Nothing found.' : found.length + ' found';
}

function close() {
  list.hidden = true;
  said.textContent = '';
}

box.addEventListener('input', show);
box.addEventListener('focus', show);
list.addEventListener('click', (event) => {
  if (!event.target.closest('a')) return;
  box.value = '';
  close();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('header')) close();
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.target.closest('input, select')) {
    event.preventDefault();
    box.focus();
  }
});
box.form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
box.closest('header').addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === 'Escape') {
    box.focus();
    close();
  } else if (!list.hidden && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    (links[at + (event.key === 'ArrowDown' ? 1 : -1)] ?? box).focus();
  }
});
box.form.hidden = false;

const main = document.getElementById('main');
// The address stays: it opens the section that is read on.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  const shown = document.querySelector(':target') ?? main;
  shown.tabIndex = -1;
  shown.focus();
});

const nav = document.querySelector('nav');
function mark() {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.hash === location.hash) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  const current = document.querySelector('nav [aria-current]');
  // On a phone the contents do not scroll by themselves.
  if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
}
addEventListener('hashchange', mark);
mark();

if (navigator.clipboard)
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const done = await navigator.clipboard.writeText(block.textContent).then(() => true, () => false);
      button.textContent = said.textContent = done ? 'Copied' : 'Not copied';
      setTimeout(() => {
        button.textContent = 'Copy';
        said.textContent = '';
      }, 2000);
    });
    block.parentElement.prepend(button);
  }
`;
