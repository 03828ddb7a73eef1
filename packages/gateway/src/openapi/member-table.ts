import { escape, inline } from './markdown.ts';
import type { Parameter } from './described-operation.ts';
import type { JsonSchema } from './schema.ts';

/** Members of payloads may be required; members of answers may be missing. */
export type Direction = 'sent' | 'answered';

export function parametersTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    row(
      name,
      { ...schema, description },
      needOf('sent', required ?? false),
      place === 'path' ? 'in the path' : 'filter',
    ),
  );
  return `<h4>Parameters</h4>${table(rows)}`;
}

/** `{ result: Invoice }` in a line, or the members of an unnamed answer. */
export function shape(schema: JsonSchema): string {
  if (schema.$ref || schema.anyOf) return typeOf(schema);
  const inside = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => `<code>${escape(name)}</code>: ${typeOf(member)}`,
  );
  return inside.length === 0 ? typeOf(schema) : `{ ${inside.join(', ')} }`;
}

export function members(schema: JsonSchema, direction: Direction): string {
  const rows = rowsOf(schema, '', direction);
  return rows.length === 0 ? '' : table(rows);
}

/** A row for each member; unnamed inner objects are listed below, with their path. */
function rowsOf(
  { properties = {}, required = [] }: JsonSchema,
  prefix: string,
  direction: Direction,
): string[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const inside = member.properties
      ? rowsOf(member, `${path}.`, direction)
      : member.items?.properties
        ? rowsOf(member.items, `${path}[].`, direction)
        : [];
    return [row(path, member, needOf(direction, required.includes(name)), ''), ...inside];
  });
}

const HEADS = ['Name', 'Type', 'Meaning'] as const;

export const table = (rows: readonly string[], heads: readonly string[] = HEADS): string =>
  `<div class="wide" tabindex="0"><table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;

function needOf(direction: Direction, required: boolean): string {
  if (direction === 'sent') return required ? ' <span class="needed">required</span>' : '';
  return required ? '' : ' <span class="soft">optional</span>';
}

export function row(name: string, schema: JsonSchema, need: string, where: string): string {
  const limits = [where, ...limitsOf(schema)].filter((text) => text !== '').join('; ');
  return `<tr><td><code>${escape(name)}</code>${need}</td><td>${typeOf(schema)}${limits === '' ? '' : `<span class="limits">${escape(limits)}</span>`}</td><td>${inline(schema.description ?? '')}</td></tr>`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#object-${name}">${name}</a>`;
  }
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.const !== undefined) return `<code>${escape(JSON.stringify(schema.const))}</code>`;
  if (typeof schema.additionalProperties === 'object')
    return `map to ${typeOf(schema.additionalProperties)}`;
  const types = [schema.type ?? 'any'].flat();
  return (
    escape(types.join(' or ')) +
    (schema.format === 'date-time'
      ? ' (time)'
      : schema.format === undefined
        ? ''
        : ` (${escape(schema.format)})`)
  );
}

function limitsOf(schema: JsonSchema): string[] {
  const {
    minimum,
    exclusiveMinimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    enum: values,
  } = schema;
  return [
    minimum === undefined && exclusiveMinimum === undefined
      ? ''
      : `from ${minimum ?? `above ${exclusiveMinimum}`}`,
    maximum === undefined ? '' : `up to ${maximum}`,
    minLength === undefined ? '' : `${minLength} or more characters`,
    maxLength === undefined ? '' : `up to ${maxLength} characters`,
    minItems === undefined && maxItems === undefined
      ? ''
      : `${minItems ?? 0} to ${maxItems ?? 'any number of'} items`,
    values === undefined ? '' : values.map(String).join(', '),
  ].filter((text) => text !== '');
}
