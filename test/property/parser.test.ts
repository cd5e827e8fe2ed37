import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import type { Literal, ParsedRequest } from '../../src/protocol/ast.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { chance, type Chance } from '../fixtures/legacy/random.ts';
import { seed } from './seed.ts';
import { goodUrls } from './urls.ts';

/** Texts that mean something somewhere in the grammar: a random byte seldom gets as far as they do. */
const fragments: readonly string[] = [
  ...Array.from('/?&=#:;,.*@%+-\\"\'()[]{}<>!|^~ $_'),
  ...'%22 %27 %20 %2F %26 %3D %25 %00 %0A %E9 %C3%A9 %F0%9F %zz'.split(' '),
  ...String.raw`== === != !== <= >= && || "" '' \u0027 \u0022 \\u0027`.split(' '),
  ...[
    ' AND ',
    ' or ',
    ' EXCEPT ',
    ' NOT ',
    'NOT(',
    ' IN ',
    ' in [',
    ' IS NOT ',
    ' begin ',
    ' like ',
  ],
  ...'null true 1 -1.5e3 :1 :999 2024-02-30 ID employer.name [1,2] ("x")'.split(' '),
  ...'$filter= $params= $top= $skip= $orderby= $attributes= $expand= $asArray=true'.split(' '),
  ...'$catalog $entityset/ $method=delete $format=dashboard {"a":1} [null,[1]] &$top=1'.split(' '),
  ...['é', '日', '🚀', '\ud800', '\u0000', '\n', '\u00a0', '\u200b', '__proto__', 'constructor'],
];

function anyText(random: Chance, longest: number): string {
  let text = '';
  for (let left = random.int(0, longest); left > 0; left -= 1) {
    switch (random.int(0, 3)) {
      case 0:
        text += random.pick(fragments);
        break;
      case 1:
        text += `%${random.hex(2)}`;
        break;
      case 2:
        text += String.fromCharCode(random.int(0, 0xffff));
        break;
      default:
        text += String.fromCharCode(random.int(32, 126));
    }
  }
  return text;
}

/** One change somewhere in a text. */
function mutated(text: string, random: Chance): string {
  const at = random.int(0, text.length);
  const to = Math.min(text.length, at + random.int(1, 12));
  const [before, part, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)];
  switch (random.int(0, 8)) {
    case 0:
      return before + after;
    case 1:
      return before + part + part + after;
    case 2:
      return before + after.slice(0, part.length) + part + after.slice(part.length);
    case 3:
      return before + random.pick(fragments) + part + after;
    case 4:
      return before + random.pick(fragments) + after;
    case 5:
      return `${before}%${random.hex(2)}${part}${after}`;
    case 6:
      return before + String.fromCharCode(random.int(0, 255)) + part + after;
    case 7:
      return before + encodeURIComponent(part.toWellFormed()) + after;
    default:
      return before + random.pick(['"', "'", '%22', '%27']) + part + after;
  }
}

function anyUrl(random: Chance): string {
  if (random.oneIn(5))
    return random.pick(['', '/rest/', '/rest/Employee?$filter=']) + anyText(random, 20);
  let url = random.pick(goodUrls);
  for (let left = random.int(1, 3); left > 0; left -= 1) {
    // The tail of another URL brings parts together that never stood side by side.
    url = random.oneIn(6)
      ? url.slice(0, random.int(0, url.length)) + random.pick(goodUrls).slice(random.int(0, 40))
      : mutated(url, random);
  }
  return url;
}

/**
 * What was read, without what differs between requests of one shape: positions, and what would be wrong with a key that is no
 * text, of which no plan is made.
 */
function withoutPositions({ ast }: ParsedRequest): string {
  return JSON.stringify(ast, (name, value: unknown) =>
    name === 'position' || value instanceof ProtocolError ? undefined : value,
  );
}

/** Requests whose values are left open: `{n}` a number, `{t}` text in quotes, `{w}` a word, `{q}` any text of a key. */
const forms: readonly string[] = [
  '/rest/A({n})',
  '/rest/A[{w}]/b/c',
  '/rest/A("{q}")/b',
  '/rest/A({n};"{q}")',
  '/rest/A:b({w})?$attributes=a,b.*',
  '/rest/A({"b":"{q}","c":{n}})',
  '/rest/A?$filter="a = {n} and b.c begin {t} or not (d %23 {w})"',
  '/rest/A?$filter=a%20>=%20{n}%20EXCEPT%20b%20like%20{w}&$orderby="a desc"',
  '/rest/A?$filter="a in [{n}, {n}] and b in ({t},{t}, null)"',
  '/rest/A({n})/b?$filter="a IS NOT {t} && a.b.c % {w}"&$expand=b',
];

/** A form with values, and the texts of the values in the order of their parameters; those of the page come last. */
function filled(
  form: string,
  random: Chance,
): { readonly url: string; readonly values: readonly string[] } {
  const values: string[] = [];
  const keep = (value: string): string => {
    values.push(value);
    return encodeURIComponent(value);
  };
  const letters = (alphabet: readonly string[]): string =>
    `k${Array.from({ length: random.int(0, 8) }, () => random.pick(alphabet)).join('')}z`;
  const url = form.replace(/\{([ntwq])\}/g, (_, kind: string) => {
    switch (kind) {
      case 'n':
        return keep(String(random.int(-5, 5000)) + random.pick(['', '.5', 'e2']));
      case 'w':
        return keep(letters([...Array.from('aBé日_-/?$\\+'), '🚀', 'and', 'in']));
      case 'q':
        return keep(letters([...Array.from('aBé日_-/?$=&%+#@*'), '🚀', ' and ', ';', ', ']));
      default:
        return `'${keep(letters([...Array.from('aBé日_-/?$\\=&%+#"():[];'), '🚀', ' and ', ' or ']))}'`;
    }
  });
  return { url, values: [...values, '100', '0'] };
}

/** The values of a request, without the text of the whole key that is kept beside its parts. */
function partsOf({ ast, values }: ParsedRequest): readonly Literal[] {
  const key = 'selector' in ast && ast.selector.kind === 'key' ? ast.selector.key : null;
  return values.filter((_, parameter) => parameter !== key?.raw?.parameter);
}

function textsOf(values: readonly Literal[]): string[] {
  return values.flatMap(({ value }) =>
    typeof value === 'string' ? [value] : textsOf(value).filter((text) => text !== 'null'),
  );
}

const POSITION = /\(at position (\d+) of [^]+\)$/;

/** What the parser answers; a complaint about the parser where that is neither an answer nor a positioned error. */
function parse(url: string): ParsedRequest | ProtocolError {
  try {
    return parseRequest(url);
  } catch (error) {
    if (!(error instanceof ProtocolError)) {
      throw new Error(`seed ${seed}: ${JSON.stringify(url)} threw ${String(error)}`, {
        cause: error,
      });
    }
    const position = Number(POSITION.exec(error.message)?.[1]);
    if (!(position >= 1 && position <= url.length + 1)) {
      throw new Error(`seed ${seed}: ${JSON.stringify(url)} has no position`, { cause: error });
    }
    return error;
  }
}

describe('the request parser', () => {
  test.each(goodUrls)('reads %s', (url) => {
    expect(parse(url)).not.toBeInstanceOf(ProtocolError);
  });

  test(
    'answers 40,000 random and mutated URLs, or says where reading failed',
    { timeout: 120_000 },
    () => {
      const random = chance(seed);
      const byShape = new Map<string, { readonly url: string; readonly ast: string }>();
      let answered = 0;
      let repeated = 0;
      for (let run = 0; run < 40_000; run += 1) {
        const url = anyUrl(random);
        const parsed = parse(url);
        if (parsed instanceof ProtocolError) continue;
        answered += 1;
        const ast = withoutPositions(parsed);
        const known = byShape.get(parsed.shape);
        if (known === undefined) {
          byShape.set(parsed.shape, { url, ast });
          continue;
        }
        repeated += 1;
        if (known.ast !== ast) {
          expect({ seed, url, ast }, 'equal shapes, other trees').toEqual({ seed, ...known });
        }
      }
      // Both ways out were tried, and shapes were met again: else the loop above has shown nothing.
      expect(answered).toBeGreaterThan(4_000);
      expect(answered).toBeLessThan(36_000);
      expect(repeated).toBeGreaterThan(2_000);
    },
  );

  test('gives requests that differ in their values only one shape and one tree', () => {
    const random = chance(seed);
    for (let run = 0; run < 3000; run += 1) {
      const form = random.pick(forms);
      const [first, second] = [filled(form, random), filled(form, random)];
      const [one, other] = [parseRequest(first.url), parseRequest(second.url)];
      expect({ seed, url: first.url, values: textsOf(partsOf(one)) }).toEqual({
        seed,
        url: first.url,
        values: first.values,
      });
      expect({ seed, shape: other.shape, ast: withoutPositions(other) }).toEqual({
        seed,
        shape: one.shape,
        ast: withoutPositions(one),
      });
    }
  });

  test('comes to an end on long inputs of one repeated part', () => {
    for (const part of fragments) {
      const text = part.repeat(Math.ceil(8000 / part.length));
      const heads = [
        '',
        'A(',
        'A("',
        'A?$filter=',
        'A?$filter="a = ',
        'A?$filter=a in [',
        'A?$params=',
      ];
      const answers = [...heads, 'A?$orderby=', 'A?$expand=a.'].map((head) =>
        parse(`/rest/${head}${text}`),
      );
      expect(answers).toHaveLength(9);
    }
  });
});
