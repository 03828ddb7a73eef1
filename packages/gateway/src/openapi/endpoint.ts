import type { OpenApi } from './document.ts';
import { clientCall, fetchCall } from './client-call.ts';
import { curlLine } from './curl.ts';
import type { DescribedOperation } from './described-operation.ts';
import { type Answer, statusOfAnswer } from './error.ts';
import { exampleOf } from './example.ts';
import { escape, inline, markdown } from './markdown.ts';
import { members, parametersTable, shape, table } from './member-table.ts';
import type { JsonSchema } from './schema.ts';

export interface Entry {
  method: string;
  path: string;
  operation: DescribedOperation;
}

/** A heading that links to itself. */
export const titleLink = (id: string, title: string): string =>
  `<h3 id="${id}"><a class="self" href="#${id}">${escape(title)}</a></h3>`;

/** Text that can be copied. */
export const code = (text: string): string =>
  `<div class="code"><pre tabindex="0"><code>${escape(text)}</code></pre></div>`;

/** The same in both languages; the page shows the chosen one. */
export const inBothLanguages = (shell: string, typescript: string): string =>
  `<div class="sh">${shell}</div>\n<div class="ts">${typescript}</div>`;

/** One endpoint: its parameters, its payload, the call, and its answers. */
export function renderEndpoint(
  { method, path, operation }: Entry,
  { components }: OpenApi,
): string {
  const { operationId: id, summary, description = '', parameters = [], responses } = operation;
  const payload = operation['x-payload'];
  const extension = operation['x-extension'] ? ' <span class="soft">Extension</span>' : '';
  return `<article aria-labelledby="${id}">${titleLink(id, summary)}
<p class="path"><span class="method ${method}">${method}</span> <code>${escape(path)}</code>${extension}</p>
${markdown(description)}
${parametersTable(parameters.filter(({ in: place }) => place !== 'header'))}
${payload ? `<h4>Payload</h4>${members(resolved(payload, components.schemas), 'sent')}` : ''}
${calls({ method, path, operation }, payload && exampleOf(payload, components.schemas))}
${Object.entries(responses)
  .filter(([status]) => status.startsWith('2'))
  .map(([status, answer]) => success(status, answer as Answer))
  .join('\n')}
${refusals(Object.entries(responses), components.responses)}
</article>`;
}

function calls({ method, path, operation }: Entry, example: unknown): string {
  const { operationId, security = [] } = operation;
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => `<${name.toUpperCase()}>`);
  return security.length === 0
    ? inBothLanguages(code(`curl -sS "$URL${address}"`), code(fetchCall(path)))
    : inBothLanguages(
        code(curlLine(method, path, example)),
        code(clientCall({ operationId, method, path, members: example })),
      );
}

function success(status: string, { description, content = {} }: Answer): string {
  const [type = '', body] = Object.entries(content)[0] ?? [];
  if (!body) return `<h4>Answer ${status}</h4><p>${inline(description)}</p>`;
  const example =
    body.example === undefined
      ? ''
      : `<details><summary>Example</summary>${code(JSON.stringify(body.example, null, 2))}</details>`;
  return `<h4>Answer ${status}</h4><p>${inline(description)} ${type === 'application/json' ? shape(body.schema) : `<code>${escape(type)}</code>`}</p>${example}`;
}

type Shared = OpenApi['components']['responses'];

/** The errors of one endpoint, without those that the section "Errors" lists once. */
function refusals(
  responses: readonly (readonly [string, Answer | { $ref: string }])[],
  shared: Shared,
): string {
  const common = new Set(linesOf(Object.values(shared)));
  const rows = responses.flatMap(([status, answer]) =>
    status.startsWith('2') || '$ref' in answer
      ? []
      : linesOf([answer])
          .filter((line) => !common.has(line))
          .map((line) => errorRow(status, line)),
  );
  return rows.length === 0
    ? ''
    : `<details><summary>Errors</summary>${table(rows, ERROR_HEADS)}</details>`;
}

/** The errors that every signed request can have. */
export function sharedErrors(shared: Shared): string {
  const rows = Object.entries(shared).flatMap(([name, answer]) =>
    linesOf([answer]).map((line) => errorRow(statusOfAnswer(name), line)),
  );
  return table(rows, ERROR_HEADS);
}

const ERROR_HEADS = ['Code', 'Reason'] as const;
const errorRow = (status: string, line: string): string =>
  `<tr><td>${status}</td><td>${inline(line)}</td></tr>`;
const linesOf = (answers: readonly Answer[]): string[] =>
  answers.flatMap(({ description }) => description.split('\n\n'));

function resolved(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
}
