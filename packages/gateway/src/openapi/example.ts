import type { JsonSchema } from './schema.ts';

type Components = Readonly<Record<string, JsonSchema>>;

/**
 * An example value for a schema, from the examples of its members; optional members without one are
 * left out.
 */
export function exampleOf(schema: JsonSchema, components: Components): unknown {
  const [given] = schema.examples ?? [];
  if (given !== undefined) return given;
  if (schema.$ref)
    return exampleOf(components[schema.$ref.split('/').at(-1) ?? ''] ?? {}, components);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice) return exampleOf(choice, components);
  if (schema.allOf)
    return Object.assign({}, ...schema.allOf.map((each) => exampleOf(each, components)));
  switch ([schema.type].flat()[0] ?? 'string') {
    case 'object':
      return exampleObject(schema, components);
    case 'array':
      return schema.items ? [exampleOf(schema.items, components)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'text';
  }
}

function exampleObject(
  { properties = {}, required = [] }: JsonSchema,
  components: Components,
): Record<string, unknown> {
  const shown = Object.entries(properties).filter(
    ([name, schema]) => required.includes(name) || isShown(schema),
  );
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, components)]));
}

/** Optional members whose value would be null add nothing to an example. */
const isShown = ({ examples }: JsonSchema): boolean =>
  examples !== undefined && examples[0] !== null;
