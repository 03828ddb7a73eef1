import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { checkout } from '../packages/protocol/src/schema/checkout.ts';
import { order } from '../packages/protocol/src/schema/order.ts';

export const VIEW_PAGE = new URL('../docs/reference/checkout.md', import.meta.url);
export const ORDER_PAGE = new URL('../docs/shop/orders.md', import.meta.url);

interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
}

/** One member of an object: its path, such as `payment.strings.qr` or `coins[].kind`. */
interface Field {
  path: string;
  type: string;
  description: string | undefined;
}

const schemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;

/** The members in the order of the schema, each before its own members. */
export function fieldsOf(schema: JsonSchema, within = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = within + name;
    const value = member.anyOf?.find(({ type }) => type !== 'null') ?? member;
    const inner = value.items?.type === 'object' ? value.items : value;
    const absent = schema.required?.includes(name) ? '' : ', or absent';
    const types = [value.type ?? [], value === member ? [] : 'null'].flat();
    const type = types.join(' or ') + absent;
    const description = member.description ?? value.description;
    return [
      { path, type, description },
      ...fieldsOf(inner, `${path}${inner === value ? '.' : '[].'}`),
    ];
  });
}

/** The members of the buyer's view. */
export const viewFields = (): Field[] => fieldsOf(schemaOf(checkout));

export const viewTable = (): string =>
  [
    '| Member | Type | Meaning |',
    '|---|---|---|',
    ...viewFields().map(
      ({ path, type, description }) => `| \`${path}\` | ${type} | ${description} |`,
    ),
  ].join('\n');

/** The members of an order. */
export const orderFields = (): Field[] => fieldsOf(schemaOf(order));

/** Claims of the token alone; RFC 7519 names them. */
const TOKEN_ROWS = [
  '| `exp` | yes | When the token expires, in **seconds**. |',
  '| `nbf` | no | From when it is valid. One minute of clock difference is accepted. |',
];

export function claimsTable(): string {
  const rows = orderFields().map(
    ({ path, type, description }) =>
      `| \`${path}\` | ${type.endsWith('absent') ? 'no' : 'yes'} | ${description} |`,
  );
  const required = rows.filter((row) => row.includes('| yes |'));
  const optional = rows.filter((row) => !required.includes(row));
  return [
    '| Claim | Required | Meaning |',
    '|---|---|---|',
    ...required,
    ...TOKEN_ROWS,
    ...optional,
  ].join('\n');
}

/** Replaces the table between two marks of a page. */
function withTable(page: string, mark: string, table: string): string {
  const [before = '', rest = ''] = page.split(`<!-- ${mark} -->`);
  const [, after = ''] = rest.split(`<!-- /${mark} -->`);
  return `${before}<!-- ${mark} -->\n\n<!-- prettier-ignore -->\n${table}\n\n<!-- /${mark} -->${after}`;
}

export function writeCheckoutFields(): void {
  for (const [page, mark, table] of [
    [VIEW_PAGE, 'view', viewTable()],
    [ORDER_PAGE, 'claims', claimsTable()],
  ] as const)
    writeFileSync(page, withTable(readFileSync(page, 'utf8'), mark, table));
}
