import type { Chance } from '../../fixtures/legacy/random.ts';
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

/** Where text goes that need be no JSON: `…` stands for it. */
const places: readonly (readonly [url: string, body: string])[] = [
  ['Employee', '…'],
  ['Employee', '[…]'],
  ['Employee', '{…}'],
  ['Employee', '"…"'],
  ['Employee', '{"…":1}'],
  ['Employee', '{"__KEY":…,"__STAMP":1}'],
  ['Employee', '{"__KEY":"…","__STAMP":1}'],
  ['Employee', '{"__KEY":1,"__STAMP":…}'],
  ['Employee', '{"__KEY":1,"__STAMP":"…"}'],
  ['Category', '{"__KEY":"…","__STAMP":1}'],
  ['Category', '{"code":"…"}'],
  ['Document', '{"ID":"…","title":"x"}'],
  ['OrderLine', '{"__KEY":{"orderNo":…,"line":1},"__STAMP":1}'],
  ['OrderLine', '{"__KEY":"…;1","__STAMP":1}'],
  ...['badgeNo', 'grade', 'lastName', 'birthDate', 'shiftStart', 'active', 'photo', 'extra', 'note']
    .concat(['employer', 'manager', 'assignments', 'email'])
    .flatMap((name) => [
      ['Employee', `{"__KEY":1,"__STAMP":1,"${name}":…}`] as const,
      ['Employee', `{"__KEY":1,"__STAMP":1,"${name}":"…"}`] as const,
    ]),
  ['Employee', '{"__KEY":1,"__STAMP":1,"extra":{"a":…}}'],
  ['Employee', '{"__KEY":1,"__STAMP":1,"extra":{"…":1}}'],
  ['Employee', '{"__KEY":1,"__STAMP":1,"employer":{"__KEY":…}}'],
  ['Employee', '{"__KEY":1,"__STAMP":1,"employer":{"__deferred":{"uri":"…"}}}'],
  ['Order', '{"__KEY":1,"__STAMP":1,"total":…}'],
  ['Order', '{"__KEY":1,"__STAMP":1,"total":"…"}'],
  ['Order', '{"__KEY":1,"__STAMP":1,"lines":[{"quantity":…}]}'],
  ['Product', '{"__KEY":1,"__STAMP":1,"rating":…}'],
  ['Product', '{"__KEY":1,"__STAMP":1,"listPrice":…}'],
  ['Document', '{"title":"x","content":"…"}'],
  ['Employee?$method=delete', '{"__KEY":…}'],
  ['Employee?$method=delete', '[{"__KEY":"…"}]'],
  ['Employee(1)/nothing', '[…]'],
  ['$catalog/nothing', '["…"]'],
  ['$directory/login', '["…","…"]'],
];

function repeated(before: string, part: string, after: string): (size: number) => Buffer {
  return (size) =>
    Buffer.from(before + part.repeat(Math.max(1, Math.floor(size / part.length))) + after);
}

function numbered(
  before: string,
  part: (index: number) => string,
  after: string,
): (size: number) => Buffer {
  return (size) => {
    const parts: string[] = [];
    for (let length = 0, index = 0; length < size; index += 1) {
      const text = part(index);
      parts.push(text);
      length += text.length + 1;
    }
    return Buffer.from(before + parts.join(',') + after);
  };
}

function nested(open: string, close: string, url = 'Employee'): Body {
  return {
    name: `${open}${open}… nested`,
    url,
    bytes: (size) => {
      const depth = Math.floor(size / (open.length + close.length));
      return Buffer.from(open.repeat(depth) + close.repeat(depth));
    },
  };
}

/** Bodies that are JSON, and large. */
const shaped: readonly Body[] = [
  ...[
    'Employee',
    'Employee?$atomic=true',
    'Employee?$method=delete',
    'Category?$refresh=true',
  ].flatMap((url): Body[] => [
    { name: 'empty objects', url, bytes: numbered('[', () => '{}', ']') },
    { name: 'keys', url, bytes: numbered('[', (n) => `{"__KEY":${n},"__STAMP":1}`, ']') },
    { name: 'one key', url, bytes: numbered('[', () => '{"__KEY":1,"__STAMP":1}', ']') },
    { name: 'unknown names', url, bytes: numbered('[', (n) => `{"a${n}":1}`, ']') },
    { name: 'members', url, bytes: numbered('{', (n) => `"a${n}":1`, '}') },
    { name: 'members of one name', url, bytes: numbered('{', () => '"note":"x"', '}') },
    { name: 'numbers', url, bytes: numbered('[', () => '1', ']') },
    { name: 'blanks', url, bytes: repeated('[', ' ', '{}]') },
    { name: 'invalid UTF-8', url, bytes: (size) => Buffer.alloc(size, 0xff) },
    { name: 'NUL', url, bytes: (size) => Buffer.alloc(size, 0) },
  ]),
  nested('[', ']'),
  nested('{"a":', '}'),
  nested('{"extra":', '}'),
  nested('{"employer":', '}'),
  nested('{"assignments":[', ']}'),
  nested('[{"__ENTITIES":', '}]'),
  {
    name: 'duplicates',
    url: 'Category',
    bytes: numbered('[', () => '{"code":"twice","position":1}', ']'),
  },
  {
    name: 'references to nothing',
    url: 'Category',
    bytes: numbered('[', (n) => `{"code":"t${n}","position":1,"products":[99999]}`, ']'),
  },
  {
    name: 'saved objects',
    url: 'Category?$refresh=true',
    bytes: numbered('[', (n) => `{"code":"saved ${n}","position":1}`, ']'),
  },
  {
    name: 'lines of one order',
    url: 'Order?$refresh=true',
    bytes: numbered('{"__KEY":1,"__STAMP":1,"lines":[', (n) => `{"line":${n},"quantity":1}`, ']}'),
  },
  {
    name: 'an object attribute of numbers',
    url: 'Employee?$refresh=true',
    bytes: numbered('{"__KEY":1,"__STAMP":1,"extra":[', (n) => `${n}.5`, ']}'),
  },
  {
    name: 'an object attribute of members',
    url: 'Employee?$refresh=true',
    bytes: numbered('{"__KEY":1,"__STAMP":1,"extra":{', (n) => `"m${n}":1e${n % 400}`, '}}'),
  },
  {
    name: 'base64 for a BLOB',
    url: 'Document?$refresh=true',
    bytes: repeated('{"title":"x","content":"', 'QUJD', '"}'),
  },
  {
    name: 'base64 with line ends for a BLOB',
    url: 'Document?$refresh=true',
    bytes: repeated('{"title":"x","content":"', 'QUJDQUJD\\r\\n', '"}'),
  },
  {
    name: 'broken base64 for a BLOB',
    url: 'Document?$refresh=true',
    bytes: repeated('{"title":"x","content":"', 'QUJD', '!"}'),
  },
  {
    name: 'bytes of an image',
    url: '$upload?$rawPict=true',
    bytes: (size) => Buffer.alloc(size, 7),
  },
  { name: 'bytes of a BLOB', url: '$upload?$binary=true', bytes: (size) => Buffer.alloc(size, 7) },
];

/** A message of an agent, as large as one may be. */
function agentMessage(name: string, text: string, part: (index: number) => string): Body {
  const [before = '', after = ''] = text.split('…');
  const bytes = numbered(`{"jsonrpc":"2.0","id":1,${before}`, part, `${after}}`);
  return {
    name: `MCP: ${name}`,
    url: '/mcp',
    bytes: (size) => bytes(Math.min(size, MOST_MESSAGE - 1000)),
  };
}

const initialize = '"method":"initialize","params":{"protocolVersion":"2025-11-25"';
const called = (name: string, args: string): string =>
  `"method":"tools/call","params":{"name":"${name}","arguments":{"dataclass":"Employee",${args}}}`;

/** Messages of agents that are large. */
const messages: readonly Body[] = [
  agentMessage('icons', `${initialize},"clientInfo":{"icons":[…]}}`, () => '{}'),
  agentMessage('capabilities', `${initialize},"capabilities":{…}}`, (n) => `"c${n}":{}`),
  agentMessage('parameters', `${initialize},…}`, (n) => `"p${n}":1`),
  agentMessage('members', '"method":"ping",…', (n) => `"m${n}":1`),
  agentMessage('cursors', '"method":"tools/list","params":{"cursor":[…]}', () => '1'),
  agentMessage('attributes', called('query', '"attributes":[…]'), () => '""'),
  agentMessage('no attributes', called('query', '"attributes":[…]'), () => '{}'),
  agentMessage('values', called('query', '"filter":"ID=:1","parameters":[…]'), () => '{}'),
  agentMessage('keys', called('query', '"filter":"ID IN :1","parameters":[[…]]'), String),
  agentMessage('arguments', called('query', '…'), (n) => `"a${n}":1`),
  agentMessage('nulls', called('query', '…'), (n) => `"a${n}":null`),
  agentMessage('a key', called('read', '"key":{…}'), (n) => `"k${n}":1`),
  agentMessage('a filter', called('query', '"filter":"ID=1…"'), () => ' OR ID=1'),
  agentMessage('saved values', called('save', '"values":{…}'), (n) => `"v${n}":1`),
  agentMessage('a saved list', called('save', '"values":{"extra":[…]}'), (n) => `{"v${n}":1}`),
];

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
