import { readdirSync, readFileSync } from 'node:fs';
import type { Chance } from '../../fixtures/legacy/random.ts';
import { goodUrls } from '../../property/urls.ts';
import { HostileClient, type Sent } from './client.ts';
import { type Payload, payloads } from './payloads.ts';
import { problemOf } from './answer-shape.ts';
import { LONGEST_HOLD, type Outcome, type Trial, Worst } from './section.ts';

/** Where a payload goes: `…` stands for it. */
const places: readonly string[] = [
  '/…',
  '/rest/…',
  '/rest/Employee/…',
  '/rest/Employee/…/…',
  '/rest/Employee(…)',
  '/rest/Employee[…]',
  '/rest/Employee(…',
  '/rest/Employee("…")',
  '/rest/Employee(1,…)',
  '/rest/Employee(1)/…',
  '/rest/Employee:ID(…)',
  '/rest/Employee:email(…)',
  '/rest/Employee:…(1)',
  '/rest/Category(…)',
  '/rest/Category("…")',
  '/rest/Document(…)',
  '/rest/Holiday(…)',
  '/rest/OrderLine(…;2)',
  '/rest/OrderLine(7;…)',
  '/rest/OrderLine(…)',
  '/rest/$catalog/…',
  '/rest/$directory/…',
  '/rest/$…',
  '/rest/Employee/$entityset/…',
  '/rest/Employee/$entityset/0F3A9C?$logicOperator=AND&$otherCollection=…',
  '/rest/$singleton/…',
  ...['ID', 'badgeNo', 'grade', 'lastName', 'birthDate', 'shiftStart', 'active', 'extra.level']
    .concat(['employer', 'employer.name', 'projects.name', 'photo', 'extra', 'note'])
    .flatMap((name) => [
      `/rest/Employee?$filter="${name} = …"`,
      `/rest/Employee?$filter="${name} > '…'"`,
    ]),
  `/rest/Order?$filter="total >= …"`,
  `/rest/Product?$filter="rating < …"`,
  `/rest/Product?$filter="listPrice != …"`,
  `/rest/Employee?$filter="lastName begin …"`,
  `/rest/Employee?$filter="lastName % '…'"`,
  `/rest/Employee?$filter="ID in […]"`,
  `/rest/Employee?$filter="… = 1"`,
  `/rest/Employee?$filter="ID … 1"`,
  `/rest/Employee?$filter="ID = 1 … ID = 2"`,
  '/rest/Employee?$filter=…',
  '/rest/Employee?$filter="…"',
  "/rest/Employee?$filter='…'",
  '/rest/Employee?$filter="ID = :1"&$params=…',
  '/rest/Employee?$filter="ID = :1"&$params=[…]',
  '/rest/Employee?$filter="lastName = :1"&$params=["…"]',
  '/rest/Employee?$filter="ID in :1"&$params=[[…]]',
  ...['top', 'limit', 'skip', 'orderby', 'attributes', 'expand', 'method', 'format', 'timeout']
    .concat(['savedfilter', 'savedorderby', 'compute', 'distinct', 'lock', 'asArray', 'queryplan'])
    .concat(['querypath', 'binary', 'imageformat', 'version', 'findKey', 'clean', 'refresh'])
    .concat(['atomic', 'rawPict', 'subentityset', 'fromSel'])
    .map((name) => `/rest/Employee?$${name}=…`),
  '/rest/Employee?$orderby="…"',
  '/rest/Employee?$orderby=lastName …',
  '/rest/Employee?$attributes="…"',
  '/rest/Employee?$attributes=employer.…',
  '/rest/Employee/grade?$compute=…',
  '/rest/Employee?…=1',
  '/rest/Employee?$…=1',
  '/rest/Employee?…',
  '/rest/Employee(1)/photo?$imageformat=…&$expand=photo',
];

/** Of each verb as often as it stands here. */
const verbs: readonly string[] = [
  ...Array.from({ length: 30 }, () => 'GET'),
  ...['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'TRACE'],
];

/** Requests that the gateway understands: those of the golden statements, and those of the parser's tests. */
const good: readonly string[] = [
  ...goodUrls,
  ...readdirSync('test/golden')
    .filter((name) => name.endsWith('.golden'))
    .flatMap((name) => {
      const text = readFileSync(`test/golden/${name}`, 'utf8');
      return Array.from(text.matchAll(/^GET (\S+)$/gm), ([, url = '']) => url);
    }),
];

/** What means something somewhere in the grammar. */
const fragments: readonly string[] = [
  ...Array.from('/?&=#:;,.*@%+-\\"\'()[]{}<>!|^~ $_'),
  ...['%22', '%27', '%20', '%2F', '%26', '%25', '%00', '%0A', '%E9', '%F0%9F', '%zz', '%', '%2'],
  ...['==', '!==', '&&', '||', ' AND ', ' EXCEPT ', ' NOT(', ' IN [', ' begin ', 'null', 'true'],
  ...['-1.5e3', ':1', ':999', '2024-02-30', 'ID', 'employer.name', '[1,2]', '("x")', '{"a":1}'],
  ...[
    '$filter=',
    '$params=',
    '$top=',
    '$skip=',
    '$orderby=',
    '$attributes=',
    '$expand=',
    '$catalog',
  ],
  ...[
    '$entityset/',
    '$method=entityset',
    '$format=csv',
    '$compute=sum',
    '$distinct=true',
    '&$top=1',
  ],
  ...[
    'é',
    '日',
    '🚀',
    '\u00a0',
    '\u200b',
    '__proto__',
    'constructor',
    'toString',
    '..',
    '//',
    '\\',
  ],
];

/** A URL as bytes, each a character, with what HTTP does not take in it escaped. */
export function wire(text: string, random: Chance): string {
  const escaped = text.replace(/[^\u0021-\u007e\u0080-\uffff]/g, (character) =>
    // What would end the request line, now and then: the rest is read as something else then.
    random.oneIn(2000) ? character : encodeURIComponent(character),
  );
  return random.oneIn(3)
    ? Buffer.from(escaped, 'utf8').toString('latin1')
    : escaped.replace(/[^\u0021-\u007e]+/gu, (part) => encodeURIComponent(part.toWellFormed()));
}

/** One change somewhere in a text. */
function mutated(text: string, random: Chance, payload: () => string): string {
  const at = random.int(0, text.length);
  const to = Math.min(text.length, at + random.int(1, 12));
  const [before, part, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)];
  switch (random.int(0, 8)) {
    case 0:
      return before + after;
    case 1:
      return before + part.repeat(random.int(2, 30)) + after;
    case 2:
      return before + random.pick(fragments) + part + after;
    case 3:
      return before + random.pick(fragments) + after;
    case 4:
      return `${before}%${random.hex(2)}${part}${after}`;
    case 5:
      return before + String.fromCharCode(random.int(0, 255)) + part + after;
    case 6:
      return text.replace(/\d+/, () => payload());
    case 7:
      return text.replace(/\w+(?=[^\w]*$)/, () => payload());
    default:
      return before + payload() + after;
  }
}

/** A good URL with a few changes. */
function mutatedRequest(random: Chance, longest: number): Sent {
  const payload = (): string =>
    random.pick(payloads).text(random.int(1, random.oneIn(20) ? 5000 : 60));
  let url = random.pick(good);
  for (let left = random.int(1, 4); left > 0; left -= 1) {
    url = random.oneIn(6)
      ? url.slice(0, random.int(0, url.length)) + random.pick(good).slice(random.int(0, 40))
      : mutated(url, random, payload);
  }
  return { method: random.pick(verbs), url: wire(url, random).slice(0, longest) };
}

/** A payload, as long as a URL may be, in one of the places. */
interface LongUrl {
  readonly name: string;
  readonly sent: Sent;
}

/** Every payload in every place, in an order of chance. @param bytes how long a URL may be */
function* longUrls(random: Chance, bytes: number): Generator<LongUrl> {
  const pairs: { readonly place: string; readonly payload: Payload }[] = places.flatMap((place) =>
    payloads.map((payload) => ({ place, payload })),
  );
  for (let left = pairs.length; left > 0; left -= 1) {
    const [pair] = pairs.splice(random.int(0, left - 1), 1);
    if (pair === undefined) continue;
    const { place, payload } = pair;
    const fit = (size: number): string =>
      wire(
        place.replaceAll('…', () => payload.text(size)),
        random,
      );
    // Escapes make it longer: as many characters as fit.
    const unit = fit(1000).length / 1000;
    const size = Math.max(1, Math.floor(bytes / unit) - 200);
    const url = fit(size);
    yield {
      name: `${place} with ${payload.name}, ${url.length} bytes`,
      sent: { method: 'GET', url: url.slice(0, bytes) },
    };
  }
}

/** How many requests are sent at once, and how many between two readings. */
const AT_ONCE = 4;
const BATCH = 64;

/** As many bytes of a URL as go beside the headers into what the gateway takes of both. */
const LONGEST = 64_000;

/** Shortened, so that a line of the report shows it. */
export function shown({ method, url }: Sent): string {
  return url.length <= 300
    ? `${method} ${url}`
    : `${method} ${url.slice(0, 200)}…${url.slice(-60)} (${url.length} bytes)`;
}

/** Sends mutated URLs by the thousand, and every payload in every place. */
export async function torturedUrls(trial: Trial): Promise<Outcome> {
  const { random, until } = trial;
  const gateway = trial.gateway();
  const client = new HostileClient(gateway.port, AT_ONCE);
  const worst = new Worst(40);
  let inputs = 0;
  const tryOne = async (sent: Sent): Promise<void> => {
    const reply = await client.send(sent);
    inputs += 1;
    // What is not an HTTP request may be hung up on, behind an answer or another one's.
    if ('broken' in reply && !/^\/[\u0021-\u007e\u0080-\u00ff]*$/.test(sent.url)) return;
    const problem = problemOf(reply, sent.method);
    if (problem !== null) trial.broken(`${problem} to ${shown(sent)}`);
  };
  const measure = async (name: string, sent: Sent): Promise<void> => {
    await gateway.read();
    await tryOne(sent);
    const { held } = await gateway.read();
    if (held <= LONGEST_HOLD) {
      worst.note(name, held);
      return;
    }
    // What holds the loop does so again; collecting garbage, or another program, does not.
    await tryOne(sent);
    worst.note(name, Math.min(held, (await gateway.read()).held));
  };
  // Code runs slowly until it is compiled: that is not what is looked for.
  for (let left = 500; left > 0; left -= 1) await tryOne(mutatedRequest(random, LONGEST));
  const share = trial.match === '' ? 0.5 : 0;
  const half = performance.now() + (until - performance.now()) * share;
  while (performance.now() < half) {
    const batch = Array.from({ length: BATCH }, () => mutatedRequest(random, LONGEST));
    await gateway.read();
    const left = [...batch];
    const senders = Array.from({ length: AT_ONCE }, async () => {
      for (let sent = left.pop(); sent !== undefined; sent = left.pop()) await tryOne(sent);
    });
    await Promise.all(senders);
    const { held } = await gateway.read();
    if (held <= LONGEST_HOLD) worst.note('mutated URLs', held);
    else for (const sent of batch) await measure(shown(sent), sent);
  }
  for (const { name, sent } of longUrls(random, LONGEST)) {
    if (performance.now() > until) break;
    if (!name.includes(trial.match)) continue;
    await measure(name, sent);
  }
  client.close();
  for (const line of worst.above(LONGEST_HOLD)) trial.broken(`held for ${line}`);
  return { inputs, held: worst.longest, peak: null, also: '' };
}
