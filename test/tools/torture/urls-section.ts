import { readdirSync, readFileSync } from 'node:fs';
import type { Chance } from '../../fixtures/legacy/random.ts';
import { rows } from '../../rows.ts';
import { goodUrls } from '../../property/urls.ts';
import type { Sent } from './client.ts';
import { changedText, type Large, shuffled, tortured } from './hostile.ts';
import { payloads } from './payloads.ts';
import type { Outcome, Trial } from './section.ts';

/** Where a payload goes: `…` stands for it. */
const places: readonly string[] = rows`
  /… | /rest/… | /rest/Employee/… | /rest/Employee/…/… | /rest/Employee(…) | /rest/Employee[…] | /rest/Employee(… | /rest/Employee("…")
  /rest/Employee(1,…) | /rest/Employee(1)/… | /rest/Employee:ID(…) | /rest/Employee:email(…) | /rest/Employee:…(1) | /rest/Category(…)
  /rest/Category("…") | /rest/Document(…) | /rest/Holiday(…) | /rest/OrderLine(…;2) | /rest/OrderLine(7;…) | /rest/OrderLine(…)
  /rest/$catalog/… | /rest/$directory/… | /rest/$… | /rest/Employee/$entityset/… | /rest/$singleton/…
  /rest/Employee/$entityset/0F3A9C?$logicOperator=AND&$otherCollection=…
  /rest/Order?$filter="total >= …" | /rest/Product?$filter="rating < …" | /rest/Product?$filter="listPrice != …"
  /rest/Employee?$filter="lastName begin …" | /rest/Employee?$filter="lastName % '…'" | /rest/Employee?$filter="ID in […]"
  /rest/Employee?$filter="… = 1" | /rest/Employee?$filter="ID … 1" | /rest/Employee?$filter="ID = 1 … ID = 2"
  /rest/Employee?$filter=… | /rest/Employee?$filter="…" | /rest/Employee?$filter='…'
  /rest/Employee?$filter="ID = :1"&$params=… | /rest/Employee?$filter="ID = :1"&$params=[…]
  /rest/Employee?$filter="lastName = :1"&$params=["…"] | /rest/Employee?$filter="ID in :1"&$params=[[…]]
  /rest/Employee?$orderby="…" | /rest/Employee?$orderby=lastName … | /rest/Employee?$attributes="…" | /rest/Employee?$attributes=employer.…
  /rest/Employee/grade?$compute=… | /rest/Employee?…=1 | /rest/Employee?$…=1 | /rest/Employee?…
  /rest/Employee(1)/photo?$imageformat=…&$expand=photo
`
  .flat()
  .concat(
    ['ID', 'badgeNo', 'grade', 'lastName', 'birthDate', 'shiftStart', 'active', 'extra.level']
      .concat(['employer', 'employer.name', 'projects.name', 'photo', 'extra', 'note'])
      .flatMap((name) => [
        `/rest/Employee?$filter="${name} = …"`,
        `/rest/Employee?$filter="${name} > '…'"`,
      ]),
    ['top', 'limit', 'skip', 'orderby', 'attributes', 'expand', 'method', 'format', 'timeout']
      .concat(['savedfilter', 'savedorderby', 'compute', 'distinct', 'lock', 'asArray'])
      .concat(['queryplan', 'querypath', 'binary', 'imageformat', 'version', 'findKey', 'clean'])
      .concat(['refresh', 'atomic', 'rawPict', 'subentityset', 'fromSel'])
      .map((name) => `/rest/Employee?$${name}=…`),
  );

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
  ...'$filter= $params= $top= $skip= $orderby= $attributes= $expand= $catalog $entityset/'.split(
    ' ',
  ),
  ...'$method=entityset $format=csv $compute=sum $distinct=true &$top=1 é 日 🚀 .. // \\'.split(
    ' ',
  ),
  ...['\u00a0', '\u200b', '__proto__', 'constructor', 'toString'],
];

/** A URL as bytes, each a character, with what HTTP does not take in it escaped. */
function wire(text: string, random: Chance): string {
  const escaped = text.replace(/[^\u0021-\u007e\u0080-\uffff]/g, (character) =>
    // What would end the request line, now and then: the rest is read as something else then.
    random.oneIn(2000) ? character : encodeURIComponent(character),
  );
  return random.oneIn(3)
    ? Buffer.from(escaped, 'utf8').toString('latin1')
    : escaped.replace(/[^\u0021-\u007e]+/gu, (part) => encodeURIComponent(part.toWellFormed()));
}

/** A good URL with a few changes. */
function mutatedRequest(random: Chance): Sent {
  const payload = (): string =>
    random.pick(payloads).text(random.int(1, random.oneIn(20) ? 5000 : 60));
  const url = changedText(random.pick(good), random, (part, before, after) => {
    const text = before + part + after;
    const changes = [
      () => before + after,
      () => before + part.repeat(random.int(2, 30)) + after,
      () => before + random.pick(fragments) + part + after,
      () => before + random.pick(fragments) + after,
      () => `${before}%${random.hex(2)}${part}${after}`,
      () => before + String.fromCharCode(random.int(0, 255)) + part + after,
      () => text.replace(/\d+/, payload),
      () => text.replace(/\w+(?=[^\w]*$)/, payload),
      () => before + payload() + after,
      () => before + random.pick(good).slice(random.int(0, 40)),
    ];
    return random.pick(changes)();
  });
  return { method: random.pick(verbs), url: wire(url, random).slice(0, LONGEST) };
}

/** Every payload in every place, as long as a URL may be, in an order of chance. */
function* longUrls(random: Chance): Generator<readonly Large[]> {
  const pairs = places.flatMap((place) => payloads.map((payload) => ({ place, payload })));
  for (const { place, payload } of shuffled(pairs, random)) {
    const fit = (size: number): string =>
      wire(
        place.replaceAll('…', () => payload.text(size)),
        random,
      );
    // Escapes make it longer: as many characters as fit.
    const unit = fit(1000).length / 1000;
    const url = fit(Math.max(1, Math.floor(LONGEST / unit) - 200));
    const name = `${place} with ${payload.name}, ${url.length} bytes`;
    yield [{ name, sent: () => ({ method: 'GET', url: url.slice(0, LONGEST) }) }];
  }
}

/** As many bytes of a URL as go beside the headers into what the gateway takes of both. */
const LONGEST = 64_000;

/** Sends mutated URLs by the thousand, and every payload in every place. */
export function torturedUrls(trial: Trial): Promise<Outcome> {
  return tortured(trial, {
    ...{ name: 'URLs', warmUp: 500, share: 0.5, mutated: mutatedRequest, large: longUrls },
    // What is not an HTTP request may be hung up on, behind an answer or another one's.
    mayBreak: ({ url }) => !/^\/[\u0021-\u007e\u0080-\u00ff]*$/.test(url),
  });
}
