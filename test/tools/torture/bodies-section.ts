import type { Chance } from '../../fixtures/legacy/random.ts';
import { rows } from '../../rows.ts';
import type { Sent } from './client.ts';
import { MOST_MESSAGE } from './gateway.ts';
import { changedText, type Large, shuffled, tortured } from './hostile.ts';
import { payloads } from './payloads.ts';
import type { Outcome, Trial } from './section.ts';

/** A body of any size that may be hard on whoever reads it. */
interface Body {
  readonly name: string;
  /** Below `/rest/`; `/mcp` is for agents. */
  readonly url: string;
  /** @param size about how many bytes */
  readonly bytes: (size: number) => Buffer;
}

/** Where text goes that need be no JSON: `…` stands for it. URLs with the bodies that are sent there. */
const places: readonly (readonly [url: string, body: string])[] = [
  ...rows`
    Employee | … | […] | {…} | "…" | {"…":1} | {"__KEY":…,"__STAMP":1} | {"__KEY":"…","__STAMP":1} | {"__KEY":1,"__STAMP":…}
      | {"__KEY":1,"__STAMP":"…"} | {"__KEY":1,"__STAMP":1,"extra":{"a":…}} | {"__KEY":1,"__STAMP":1,"extra":{"…":1}}
      | {"__KEY":1,"__STAMP":1,"employer":{"__KEY":…}} | {"__KEY":1,"__STAMP":1,"employer":{"__deferred":{"uri":"…"}}}
    Category  | {"__KEY":"…","__STAMP":1} | {"code":"…"}
    Document  | {"ID":"…","title":"x"} | {"title":"x","content":"…"}
    OrderLine | {"__KEY":{"orderNo":…,"line":1},"__STAMP":1} | {"__KEY":"…;1","__STAMP":1}
    Order     | {"__KEY":1,"__STAMP":1,"total":…} | {"__KEY":1,"__STAMP":1,"total":"…"} | {"__KEY":1,"__STAMP":1,"lines":[{"quantity":…}]}
    Product   | {"__KEY":1,"__STAMP":1,"rating":…} | {"__KEY":1,"__STAMP":1,"listPrice":…}
    Employee?$method=delete | {"__KEY":…} | [{"__KEY":"…"}]
    Employee(1)/nothing     | […]
    $catalog/nothing        | ["…"]
    $directory/login        | ["…","…"]
  `.flatMap(([url = '', ...bodies]) => bodies.map((body) => [url, body] as const)),
  ...['badgeNo', 'grade', 'lastName', 'birthDate', 'shiftStart', 'active', 'photo', 'extra', 'note']
    .concat(['employer', 'manager', 'assignments', 'email'])
    .flatMap((name) => [
      ['Employee', `{"__KEY":1,"__STAMP":1,"${name}":…}`] as const,
      ['Employee', `{"__KEY":1,"__STAMP":1,"${name}":"…"}`] as const,
    ]),
];

/**
 * A text whose `…` stands for a part that is repeated as often as it fits a size; a comma at its end is only between them.
 * @param part has `#` for its number, and `%` for an exponent
 */
function repeated(text: string, part: string): Body['bytes'] {
  const [before = '', after = ''] = text.split('…');
  const numbered = (at: number): string =>
    part.replaceAll('#', String(at)).replaceAll('%', String(at % 400));
  return (size) => {
    const parts = /[#%]/.test(part) ? [] : [part.repeat(Math.ceil(size / part.length))];
    for (let length = parts.join('').length; length < size; length += parts.at(-1)?.length ?? 1) {
      parts.push(numbered(parts.length));
    }
    return Buffer.from(before + parts.join('').replace(/,$/, '') + after);
  };
}

/** Bodies that are JSON, and large: their names, what they are sent to, and what is repeated in them. */
const SHAPED = rows`
  duplicates                        | Category | […] | {"code":"twice","position":1},
  references to nothing             | Category | […] | {"code":"t#","position":1,"products":[99999]},
  saved objects                     | Category?$refresh=true | […] | {"code":"saved #","position":1},
  lines of one order                | Order?$refresh=true | {"__KEY":1,"__STAMP":1,"lines":[…]} | {"line":#,"quantity":1},
  an object attribute of numbers    | Employee?$refresh=true | {"__KEY":1,"__STAMP":1,"extra":[…]} | #.5,
  an object attribute of members    | Employee?$refresh=true | {"__KEY":1,"__STAMP":1,"extra":{…}} | "m#":1e%,
  base64 for a BLOB                 | Document?$refresh=true | {"title":"x","content":"…"} | QUJD
  base64 with line ends for a BLOB  | Document?$refresh=true | {"title":"x","content":"…"} | QUJDQUJD\\r\\n
  broken base64 for a BLOB          | Document?$refresh=true | {"title":"x","content":"…!"} | QUJD
`;

/** The same for several URLs. */
const LISTS = rows`
  empty objects       | […]   | {},
  keys                | […]   | {"__KEY":#,"__STAMP":1},
  one key             | […]   | {"__KEY":1,"__STAMP":1},
  unknown names       | […]   | {"a#":1},
  members             | {…}   | "a#":1,
  members of one name | {…}   | "note":"x",
  numbers             | […]   | 1,
  blanks              | […{}] | \u0020
`;

const bytes =
  (byte: number): Body['bytes'] =>
  (size) =>
    Buffer.alloc(size, byte);

const URLS = ['Employee', 'Employee?$atomic=true', 'Employee?$method=delete'].concat(
  'Category?$refresh=true',
);

const NESTED = ['[ ]', '{"a": }', '{"extra": }', '{"employer": }', '{"assignments":[ ]}'].concat(
  '[{"__ENTITIES": }]',
);

const shaped: readonly Body[] = [
  ...URLS.flatMap((url): Body[] => [
    ...LISTS.map(([name = '', text = '', part = '']) => ({
      name,
      url,
      bytes: repeated(text, part),
    })),
    { name: 'invalid UTF-8', url, bytes: bytes(0xff) },
    { name: 'NUL', url, bytes: bytes(0) },
  ]),
  ...NESTED.map((text): Body => {
    const [open = '', close = ''] = text.split(' ');
    const nested = (depth: number): Buffer => Buffer.from(open.repeat(depth) + close.repeat(depth));
    const name = `${open}${open}… nested`;
    return { name, url: 'Employee', bytes: (size) => nested(Math.floor(size / (text.length - 1))) };
  }),
  ...SHAPED.map(([name = '', url = '', text = '', part = '']) => ({
    ...{ name, url, bytes: repeated(text, part) },
  })),
  { name: 'bytes of an image', url: '$upload?$rawPict=true', bytes: bytes(7) },
  { name: 'bytes of a BLOB', url: '$upload?$binary=true', bytes: bytes(7) },
];

/** Messages of agents that are large, in which a part is repeated; a tool stands before its arguments. */
const MESSAGES = rows`
  icons          | "method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"icons":[…]}} | {},
  capabilities   | "method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{…}} | "c#":{},
  parameters     | "method":"initialize","params":{"protocolVersion":"2025-11-25",…} | "p#":1,
  members        | "method":"ping",… | "m#":1,
  cursors        | "method":"tools/list","params":{"cursor":[…]} | 1,
  attributes     | query "attributes":[…] | "",
  no attributes  | query "attributes":[…] | {},
  values         | query "filter":"ID=:1","parameters":[…] | {},
  keys           | query "filter":"ID IN :1","parameters":[[…]] | #,
  arguments      | query … | "a#":1,
  nulls          | query … | "a#":null,
  a key          | read "key":{…} | "k#":1,
  a filter       | query "filter":"ID=1…" | \u0020OR ID=1,
  saved values   | save "values":{…} | "v#":1,
  a saved list   | save "values":{"extra":[…]} | {"v#":1},
`;

/** They are as large as a message may be. */
const messages = MESSAGES.map(([name = '', text = '', part = '']): Body => {
  const called = text.replace(
    /^(query|read|save) (.*)$/,
    '"method":"tools/call","params":{"name":"$1","arguments":{"dataclass":"Employee",$2}}',
  );
  const message = repeated(`{"jsonrpc":"2.0","id":1,${called}}`, part);
  return {
    name: `MCP: ${name}`,
    url: '/mcp',
    bytes: (size) => message(Math.min(size, MOST_MESSAGE - 1000)),
  };
});

/** Every payload in every place. */
const filled: readonly Body[] = places.flatMap(([url, body]) =>
  payloads.map((payload): Body => ({
    name: `${body} with ${payload.name}`,
    url,
    bytes: (size) => Buffer.from(body.replace('…', payload.text(size)).replace('…', '')),
  })),
);

/** Every body that can be large, in an order of chance: those that have a shape and numbers first, since there are far more others. */
function* largeBodies(random: Chance): Generator<readonly Large[]> {
  const digits = filled.filter(({ name }) => / with [-.\de]*[013.9e]…/.test(name));
  for (const bodies of [messages, shaped, digits, filled]) {
    for (const { name, url, bytes } of shuffled(bodies, random)) {
      yield SIZES.map((size) => ({
        name: `POST ${url} ${name}, about ${size} bytes`,
        sent: () => {
          const sent = { method: 'POST', body: bytes(size).subarray(0, MOST_BODY) };
          return url.startsWith('/')
            ? { ...sent, url, headers: OF_AGENTS }
            : { ...sent, url: `/rest/${url}` };
        },
      }));
    }
  }
}

/** Bodies that are understood, and what they are sent to. */
const good: readonly (readonly [url: string, body: string])[] = [
  ['Employee', '{"__KEY":1,"__STAMP":1,"lastName":"Byron","grade":3,"active":true}'],
  ['Employee', '{"firstName":"A","lastName":"B","email":"a@b.example","hireDate":"2020-01-02"}'],
  ['Employee?$atomic=true', '[{"__KEY":"2","__STAMP":1,"note":null},{"__KEY":3,"__STAMP":1}]'],
  ['Employee', '{"__KEY":4,"__STAMP":1,"employer":{"__KEY":2},"manager":5,"extra":{"level":1.5}}'],
  ['Employee?$refresh=true', '{"__KEY":4,"badgeNo":9007199254740993,"birthDate":"1990-02-28"}'],
  ['Category', '{"code":"C","position":1,"description":"text"}'],
  ['Category', '{"__KEY":"AC/DC","__STAMP":1,"position":2}'],
  ['Category?$method=delete', '[{"__KEY":"none"},{"__KEY":"nobody","__STAMP":1}]'],
  ['Order', '{"__KEY":1,"__STAMP":1,"lines":[{"line":1,"quantity":2,"unitPrice":12.50}]}'],
  [
    'Order',
    '{"date":"2024-05-06","placedAt":"2024-05-06T07:08:09.010Z","billTo":1,"currency":"EUR"}',
  ],
  ['OrderLine', '{"__KEY":{"orderNo":7,"line":2},"__STAMP":1,"discount":0.05}'],
  ['Document', '{"title":"x","content":"QUJD","owner":{"__deferred":{"uri":"/rest/Company(1)"}}}'],
  ['Product', '{"__KEY":1,"__STAMP":1,"rating":4.5,"weight":1e3,"spec":{"a":[1,null,{}]}}'],
  ['$catalog/nothing', '[1,"x",{"__KEY":1}]'],
];

const fragments: readonly string[] = [
  ...Array.from('{}[]",:\\/-.0eE '),
  ...'null true {} [] "" 1e999999999 -0 0.1 \\u0000 \\ud800 "__KEY":1, "__STAMP":-1, "__proto__":{"a":1},'.split(
    ' ',
  ),
  ...'"constructor":1, "__ENTITIES":[ 9007199254740993 "__ERROR":1, "__deferred":{"uri":"x"} 🚀 é'.split(
    ' ',
  ),
  ...['"toString":null,', '\u0000', '\ufeff'],
];

/** A good body with a few changes. */
function mutatedBody(random: Chance): Sent {
  const [url, text] = random.pick(good);
  const body = changedText(text, random, (part, before, after) => {
    const changes = [
      () => '',
      () => part.repeat(random.int(2, 20)),
      () => random.pick(fragments) + part,
      () => random.pick(payloads).text(random.int(1, 200)),
      () => random.pick(good)[1].slice(random.int(0, 40)),
    ];
    return before + random.pick(changes)() + after;
  });
  const bytes = Buffer.from(body);
  if (random.oneIn(10)) bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
  return { method: 'POST', url: `/rest/${url}`, body: bytes };
}

/** How large bodies are made, in bytes: up to what a body may have. */
const MOST_BODY = 16_777_216;
const SIZES: readonly number[] = [200_000, 2_000_000, 16_700_000];

/** What messages of agents have to say. */
const OF_AGENTS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** Sends mutated bodies by the thousand, and large ones of every kind. */
export function torturedBodies(trial: Trial): Promise<Outcome> {
  return tortured(trial, {
    ...{ name: 'bodies', warmUp: 200, share: 0.3, mutated: mutatedBody, large: largeBodies },
  });
}
