const cell = (text = '') => text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
const code = (text) => (text ? `\`${cell(text)}\`` : '');

const table = (title, columns, rows) =>
  rows.length
    ? `#### ${title}\n\n| ${columns.join(' | ')} |\n|${columns.map(() => ' --- ').join('|')}|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n\n`
    : '';

const parametersOf = ({ parameters = [] }) =>
  parameters
    .map(({ name, optional, type }) => `${name}${optional ? '?' : ''}: ${type?.text ?? 'unknown'}`)
    .join(', ');

/** Types without `null` and `undefined`: every property is optional. */
const typeOf = (type) => type.replace(/ \| (?:null|undefined)\b/g, '');

const elementSection = ({
  tag,
  name,
  description,
  properties,
  attributes,
  events,
  methods,
  slots,
  states,
  parts,
  customProperties,
}) =>
  `### \`<${tag}>\`

${description.replace(/\s+/g, ' ')}

${table(
  'Attributes and properties',
  ['Attribute', 'Property', 'Type', 'Default', ''],
  [
    ...properties.map((field) => [
      code(field.attribute),
      code(field.name) + (field.readonly ? ' (read-only)' : ''),
      code(typeOf(field.type)),
      code(field.default),
      cell(field.description),
    ]),
    ...attributes.map((attribute) => [
      code(attribute.name),
      '',
      code(typeOf(attribute.type)),
      code(attribute.default),
      cell(attribute.description),
    ]),
  ],
)}${table(
    'Events',
    ['Event', 'Class', ''],
    events.map((event) => [code(event.name), code(event.type?.text), cell(event.description)]),
  )}${table(
    'Methods',
    ['Method', ''],
    methods.map((method) => [
      code(`${method.name}(${parametersOf(method)})`),
      cell(method.description),
    ]),
  )}${table(
    'Slots',
    ['Slot', ''],
    slots.map((slot) => [slot.name ? code(slot.name) : '(default)', cell(slot.description)]),
  )}${table(
    'CSS states',
    ['State', ''],
    states.map((state) => [code(`:state(${state.name})`), cell(state.description)]),
  )}${table(
    'Custom properties',
    ['Property', 'Default', ''],
    customProperties.map((property) => [
      code(property.name),
      code(property.default),
      cell(property.description),
    ]),
  )}${table(
    'Parts',
    ['Part', ''],
    parts.map((part) => [code(`::part(${part.name})`), cell(part.description)]),
  )}Class \`${name}\`.
`;

/** The reference of all elements, in Markdown. */
export const referenceOf = (elements, scenarios) => `# Elements: reference

Generated from the sources by \`npm run reference -w packages/elements\`. For usage see
[shop/embed.md](shop/embed.md). Anything not listed here is internal.

| Element | |
| --- | --- |
${elements.map(({ tag, summary }) => `| [\`<${tag}>\`](#${tag}) | ${cell(summary)} |`).join('\n')}

Types omit \`null\` and \`undefined\`, because every property is optional. All events bubble and cross shadow roots. The parts
of inner elements are also parts of the outermost one, under the same names.

## Elements

${elements.map(elementSection).join('\n')}
## Scenarios

The attribute \`demo\` of \`<crypto-checkout>\` plays a scenario without a server, in fake time. \`demo="underpaid#2"\` holds the
second step and \`demo="underpaid#last"\` the last one; \`demo="underpaid:XRP"\` pays with another kind. The event
\`crypto-checkout-demo\`, dispatched on \`window\`, advances to the next step, or to the one in its \`detail\`.

| Scenario | | Steps |
| --- | --- | --- |
${scenarios.map(({ name, about, steps }) => `| ${code(name)} | ${cell(about)} | ${steps.map(cell).join(' → ')} |`).join('\n')}
`;
