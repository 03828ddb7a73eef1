import { createHash } from 'node:crypto';
import { openClient } from './client-call.ts';
import { PAYLOADS } from './component.ts';
import { SIGN_IN_SHELL } from './curl.ts';
import type { OpenApi } from './document.ts';
import {
  code,
  type Entry,
  inBothLanguages,
  renderEndpoint,
  sharedErrors,
  titleLink,
} from './endpoint.ts';
import { escape, inline, markdown } from './markdown.ts';
import { type Direction, members, row, table } from './member-table.ts';
import { SCRIPT } from './page-script.ts';
import type { JsonSchema } from './schema.ts';
import { STYLE } from './style.ts';

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page loads nothing; its own style and script are allowed by their hashes. */
export const PAGE_POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * Renders the description as a page: contents, each endpoint with its payload and answers, then
 * every object. The address opens one endpoint, one object or the list of a section; `#main` opens
 * everything.
 */
export function renderReference(document: OpenApi): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const { schemas } = document.components;
  const sent = new Set(['SignedRequest', ...Object.keys(PAYLOADS)]);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(document.info.title)}: API reference</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<form role="search" hidden>
<input id="search" type="search" placeholder="Search" aria-label="Search endpoints, objects and members" autocomplete="off" spellcheck="false">
<p id="said" role="status"></p>
<ul id="results" hidden></ul>
</form>
<label>Examples in <select id="language" autocomplete="off"><option value="sh">Shell</option><option value="ts">TypeScript</option></select></label>
</header>
<nav aria-label="Contents">
<ul>
<li><a class="group" href="#signing">How to sign a request</a></li>
${groups.map((group) => contents(group.name, group.entries)).join('\n')}
<li><a class="group" href="#errors">Errors</a></li>
<li><a class="group" href="#callbacks">Callbacks</a></li>
<li><a class="group" href="#objects">Objects</a></li>
<li><a class="group" href="#main">Everything on one page</a></li>
</ul>
</nav>
<main id="main">
<h1>${escape(document.info.title)}</h1>
<p class="soft">${inline(document.info.summary)} Version ${escape(document.info.version)}, also <a href="../openapi.json">as OpenAPI 3.1</a>.</p>
${signing(document)}
${groups.map((group) => section(group.name, group.description, group.entries, document)).join('\n')}
<section aria-labelledby="errors"><h2 id="errors">Errors</h2>
<p>Every signed request can be answered with these. An endpoint lists only its other errors.</p>
${sharedErrors(document.components.responses)}</section>
${callbacks(document)}
<section aria-labelledby="objects"><h2 id="objects">Objects</h2>
<p>Objects in requests and answers. Clients must accept members and values that are not listed here.</p>
${links(Object.keys(schemas).map((name) => [`object-${name}`, name]))}
${Object.entries(schemas)
  .map(([name, schema]) => object(name, schema, sent.has(name) ? 'sent' : 'answered'))
  .join('\n')}</section>
<footer><p>Generated from the routes and schemas of this service.</p></footer>
</main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
}

const contents = (
  name: string,
  entries: readonly Entry[],
): string => `<li><a class="group" href="#${name}">${escape(headingOf(name))}</a>
${links(entries.map(titleOf))}</li>`;

const titleOf = ({ operation }: Entry): [id: string, title: string] => [
  operation.operationId,
  operation.summary,
];

const links = (list: readonly (readonly [id: string, title: string])[]): string =>
  `<ul>${list.map(([id, title]) => `<li><a href="#${id}">${escape(title)}</a></li>`).join('')}</ul>`;

const headingOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    .replaceAll('-', ' ')
    .replace('Api keys', 'API keys')
    .replace('Lnurl', 'LNURL');

function signing({ info, servers }: OpenApi): string {
  const url = servers[0]?.url ?? '/';
  const address = url === '/' ? 'http://127.0.0.1:8081' : url;
  const settings = `URL=${address}\nKEY=<api_key>\nSECRET=<api_secret>`;
  return `<section aria-labelledby="signing"><h2 id="signing">How to sign a request</h2>
${markdown(info.description)}
${inBothLanguages(
  `<p>From a shell, with openssl and curl; the examples below use it. Use a separate API key for it: its nonces are in nanoseconds,
so a client with nonces in milliseconds could no longer use the same key.</p>
${code(`${settings}\n${SIGN_IN_SHELL}`)}`,
  `<p>With the TypeScript client, which signs each call and checks each answer; the examples below use it.</p>
${code(openClient(address))}`,
)}</section>`;
}

function section(
  name: string,
  description: string,
  entries: readonly Entry[],
  document: OpenApi,
): string {
  return `<section aria-labelledby="${name}"><h2 id="${name}">${escape(headingOf(name))}</h2>
<p class="soft">${inline(description)}</p>
${links(entries.map(titleOf))}
${entries.map((entry) => renderEndpoint(entry, document)).join('\n')}</section>`;
}

function callbacks({ webhooks }: OpenApi): string {
  const each = Object.values(webhooks).map(({ post }) => {
    const { operationId: id, summary, description, parameters, requestBody } = post;
    const headers = parameters.map(({ name, schema, description: text }) =>
      row(name, { ...schema, description: text }, '', 'header'),
    );
    return `<article aria-labelledby="${id}">${titleLink(id, summary)}
<p class="path"><span class="method POST">POST</span> <code>callback_url</code></p>
${markdown(description)}
${table(headers)}<h4>Body</h4>${members(requestBody.content['application/json'].schema, 'answered')}</article>`;
  });
  return `<section aria-labelledby="callbacks"><h2 id="callbacks">Callbacks</h2>
<p class="soft">Requests that the service sends to a profile's callback address</p>
${links(Object.values(webhooks).map(({ post }) => [post.operationId, post.summary]))}
${each.join('\n')}</section>`;
}

function object(name: string, schema: JsonSchema, direction: Direction): string {
  return `<article aria-labelledby="object-${name}">${titleLink(`object-${name}`, name)}
<p>${inline(schema.description ?? '')}</p>
${members(schema, direction)}${schema.enum ? values(schema.enum) : ''}</article>`;
}

const values = (list: readonly unknown[]): string =>
  `<p class="values">${list.map((value) => `<code>${escape(String(value))}</code>`).join(' ')}</p>`;
