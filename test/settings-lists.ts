/** The parts of a JSON Schema that a list of settings shows. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly oneOf?: readonly Node[];
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string | number;
  readonly type?: string;
  readonly default?: string | number | boolean | object;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

/** A setting: its name, type, default and meaning in Markdown. */
type Row = readonly [setting: string, type: string, value: string, meaning: string];

/** The longest line of a list. */
const WIDTH = 120;

/** Where a setting, or all below it, is explained. */
const explained: Readonly<Record<string, string>> = {
  'server.allowUnauthenticated': '../how-to/security.md#listening-beyond-this-machine',
  'server.publicUrl': '../how-to/sign-in.md#address-proxy-prefix',
  'server.trustedProxies': '../how-to/security.md#behind-a-proxy',
  'server.tls.certificate': '../how-to/security.md#tls',
  'server.workers': '../how-to/scaling.md#several-processes-on-one-machine',
  'server.watch': '../how-to/reloading.md',
  'explorer.enabled': '../guide/explorer.md',
  'limits.requestsPerMinute': '../how-to/security.md#limits',
  'cors.origins': '../how-to/security.md#pages-of-other-origins',
  'log.level': '../how-to/operate.md#logs',
  'log.slowRequestMs': '../how-to/observability.md#slow-requests',
  ignoreCase: 'filters.md#case-accents-padding',
  requireStamp: 'writing.md#update',
  timeZone: '#time-zone',
  stampSecret: 'entity-sets.md#limits',
  queryPlans: 'query-plans.md',
  locks: 'locks.md',
  'authentication.apiKeys': 'authentication.md#api-keys',
  'authentication.users': 'authentication.md#users-with-passwords',
  'authentication.jwt.issuer': 'authentication.md#tokens',
  'authentication.jwt.scopes': '../how-to/agents.md#clients-that-speak-oauth',
  'authentication.oidc.issuer': '../how-to/sign-in.md',
  'database.tellUser': '../how-to/session-context.md',
  roles: 'roles.md',
  reports: 'report-files.md',
  'audit.to': '../how-to/audit.md',
  'changes.pollSeconds': '../how-to/changes.md#a-stream',
  'metrics.port': '../how-to/observability.md#metrics',
  'mcp.enabled': '../how-to/agents.md',
  traces: '../how-to/observability.md#traces',
  proxy: '../how-to/proxy.md',
  changes: '../how-to/changes.md#what-tells-changes',
  stamp: '#stamp-and-timestamp',
  where: '#where',
  messages: '#messages',
  relations: '#relations',
  functions: 'functions.md',
  sqlFunctions: 'mapping-files.md#calculated-attributes',
};

/**
 * Writes a list of settings between each pair of `<!-- settings: PART -->` and `<!-- end -->` of a document: the settings of an engine, of
 * `general` all others, and of `attributes.NAME` those of the form of attributes that begins with the option NAME, without those
 * that an earlier form has alike.
 */
export function withSettingsLists(document: string, schema: object): string {
  return document.replace(
    /(<!-- settings: ([\w.]+) -->\n)[^]*?(<!-- end -->)/g,
    (_, begin: string, part: string, end: string) =>
      `${begin}\n${[...rows(schema, '', part)].map(item).join('')}\n${end}`,
  );
}

/** An item of a list: the setting with its type and default, and below it the meaning. */
function item([setting, type, value, meaning]: Row): string {
  return wrapped(`- ${setting}: ${type}${value}.`, '') + wrapped(meaning, '  ');
}

/** Breaks a paragraph of an item into lines, the first of which begins with `indent`. */
function wrapped(text: string, indent: string): string {
  const [first = '', ...words] = text.split(' ');
  const lines = [indent + first];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    if (line.length + 1 + word.length > WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return `${lines.join('\n')}\n`;
}

function* rows(node: Node, path: string, part: string, engine = 'general'): Generator<Row> {
  for (const [name, inner] of Object.entries(node.properties ?? {})) {
    const key = path === '' ? name : `${path}.${name}`;
    if (inner.oneOf !== undefined) {
      for (const branch of inner.oneOf) {
        yield* rows(branch, key, part, String(branch.properties?.['engine']?.const));
      }
    } else if (inner.properties !== undefined) {
      yield* rows(inner, key, part, engine);
    } else if (engine === part) {
      yield [`\`${key}\``, type(inner), shownDefault(node, name, inner), meaning(key, inner)];
    }
    const shown = new Set<string>();
    for (const form of forms(inner)) {
      const [first] = Object.keys(form.properties ?? {});
      yield* rows(without(shown, form), '', part, `${key}.${first}`);
      for (const member of members(form)) shown.add(member);
    }
  }
}

/** The forms of the values of a setting with names of the user's own. */
function forms({ additionalProperties: values }: Node): readonly Node[] {
  return (typeof values === 'object' ? values.anyOf : undefined) ?? [];
}

/** A form without the settings that an earlier one has alike. */
function without(shown: ReadonlySet<string>, form: Node): Node {
  const own = Object.entries(form.properties ?? {}).filter(
    (entry) => !shown.has(JSON.stringify(entry)),
  );
  return { ...form, properties: Object.fromEntries(own) };
}

function members({ properties = {} }: Node): string[] {
  return Object.entries(properties).map((entry) => JSON.stringify(entry));
}

function meaning(key: string, { description, const: only }: Node): string {
  if (only !== undefined) return only === 'pglite' ? 'The engine, and the default.' : 'The engine.';
  if (description === undefined) throw new Error(`${key} has no description`);
  const page = explained[key];
  const text = description.replaceAll(/[*<_]/g, '\\$&');
  return text + (page === undefined ? '' : ` [More](${page}).`);
}

/** Says behind the type that a setting is required, or its default. */
function shownDefault(parent: Node, name: string, { default: value, const: only }: Node): string {
  if (only === 'pglite') return '';
  if (typeof value !== 'object' && value !== undefined) return `; default \`${value}\``;
  return parent.required?.includes(name) === true ? '; required' : '';
}

function type(node: Node): string {
  if (node.const !== undefined) return `\`${node.const}\``;
  if (node.enum !== undefined) return either(node.enum);
  if (node.anyOf !== undefined) return node.anyOf.map(type).join(', or ');
  if (node.items !== undefined) {
    return `list of ${{ string: 'texts', object: 'entries' }[node.items.type ?? ''] ?? type(node.items)}`;
  }
  if (node.type === 'integer' || node.type === 'number') {
    return `${node.type === 'integer' ? 'whole number' : 'number'}${range(node)}`;
  }
  if (node.properties !== undefined) return `\`{ ${Object.keys(node.properties).join(', ')} }\``;
  return (
    { boolean: either(['true', 'false']), string: 'text' }[node.type ?? ''] ?? 'names with values'
  );
}

/** Writes values as alternatives. */
function either(values: readonly string[]): string {
  const quoted = values.map((value) => `\`${value}\``);
  return [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter(Boolean).join(' or ');
}

function range({ minimum, maximum }: Node): string {
  const number = (value: number) => value.toLocaleString('en');
  if (maximum === undefined) return minimum === undefined ? '' : ` from ${number(minimum)}`;
  return minimum === undefined
    ? ` up to ${number(maximum)}`
    : `, ${number(minimum)} to ${number(maximum)}`;
}
