import { expect, test } from 'vitest';
import type { KeyNode, ParameterRef, Selector } from '../../../src/protocol/ast.ts';
import { parseKey } from '../../../src/protocol/url/key.ts';
import { ValueList } from '../../../src/protocol/url/literals.ts';
import { parsePath } from '../../../src/protocol/url/path.ts';
import { rows } from '../../rows.ts';

/** What a path addresses: a value is `class«text»`, parts of a key are in braces, and `or` precedes what the whole text of a key may be. */
function addressed(path: string): string {
  const values = new ValueList();
  const parsed = parsePath(path, values);
  if (parsed.kind !== 'dataclass') {
    return `${parsed.kind === 'keyword' ? parsed.keyword : '$catalog'}: ${parsed.what}`;
  }
  const lists = parsed.segments.map((names) =>
    names.map((one) => `${one.names.join('.')}${one.star ? '.*' : ''}`).join(),
  );
  return [parsed.name + selected(parsed.selector, values), ...lists].join(' / ');
}

function selected(selector: Selector, values: ValueList): string {
  switch (selector.kind) {
    case 'all':
      return '';
    case 'key':
      return ` ${keyText(selector.key, values)}`;
    case 'keys':
      return ` ${selector.keys.map((key) => keyText(key, values)).join(', ')}`;
    case 'keyList':
      return ` list ${valueText(selector.list, values)}`;
    case 'unique':
      return `:${selector.attribute} ${keyText(selector.key, values)}`;
    case 'entitySet':
      return ` set ${valueText(selector.id, values)}`;
  }
}

function keyText(key: KeyNode, values: ValueList): string {
  const value = (ref: ParameterRef): string => valueText(ref, values);
  const named = (entries: readonly (readonly [string, ParameterRef])[]): string =>
    `{${entries.map(([name, part]) => `${name}: ${value(part)}`).join(', ')}}`;
  const whole = key.raw === undefined ? '' : ` or ${value(key.raw)}`;
  switch (key.kind) {
    case 'scalar':
      return value(key.value) + (key.object === undefined ? whole : ` or ${named(key.object)}`);
    case 'tuple':
      return `{${key.values.map(value).join('; ')}}${whole}`;
    case 'object':
      return named(key.entries) + whole;
    case 'broken':
      return key.refusal.errorName + whole;
  }
}

function valueText({ parameter, class: kind }: ParameterRef, values: ValueList): string {
  const value = values.items[parameter]?.value ?? [];
  if (typeof value === 'string') return `${kind}«${value}»`;
  return value.map((item) => `${item.class}«${item.value as string}»`).join(', ');
}

test.each(rows`
  # One key.
  /Company(126) | number«126»
  /Company[126] | number«126»
  Company(126) | number«126»
  /Company(-1.5e3) | number«-1.5e3»
  /Company%28126%29 | number«126»
  /Company(true) | boolean«true»
  /Company(null) | word«null»
  /Company(A@B*) | word«A@B*»
  /Company("126") | text«126»
  /Company('A/B') | text«A/B»
  /Company("A%2FB") | text«A/B»
  /Company(A%2FB) | word«A/B»
  /Company(%22A B%22) | text«A B»
  /Company("a,b;c)d") | text«a,b;c)d»
  /Company("say "hi"") | text«say "hi"»
  /Company('O'Reilly') | text«O'Reilly»
  /Company("") | text«»
  /Company(a(b)c) | word«a(b)c»
  /Company(2024-07-14) | word«2024-07-14»
  /Company("100%") | text«100%»
  /Company(%25) | word«%»
  /Company("a+b") | text«a+b»
  /Company("日本") | text«日本»
  /Company({C0FFEE00-0000-4000-8000-00000000000A}) | word«{C0FFEE00-0000-4000-8000-00000000000A}»
  /Company[%7BC0FFEE00%7D] | word«{C0FFEE00}»
  # Its parts, and the whole text, which may be the key.
  /Company(7;"2") | {number«7»; text«2»} or text«7;"2"»
  /Company(x;y) | {word«x»; word«y»} or text«x;y»
  /Company({"a":7,"b c":"x/y"}) | {a: text«7», b c: text«x/y»} or text«{"a":7,"b c":"x/y"}»
  /Company(%7B%22a%22:7,%22b c%22:%22x%2Fy%22%7D) | {a: text«7», b c: text«x/y»} or text«{"a":7,"b c":"x/y"}»
  /Company( 126 ) | number«126» or text« 126 »
  /Company({x) | badUrl or text«{x»
  /Company({"a":1,}) | badUrl or text«{"a":1,}»
  /Company(x;) | badUrl or text«x;»
  /Company({"a":1} x) | badUrl or text«{"a":1} x»
  # A JSON object in quotes, which may be a text.
  /Company("{"a":"x","b":1}") | text«{"a":"x","b":1}» or {a: text«x», b: text«1»}
  /Company('{"a":"x","b":1}') | text«{"a":"x","b":1}» or {a: text«x», b: text«1»}
  /Company(%22{"a":1}%22,%22{"a":2}%22) | text«{"a":1}» or {a: text«1»}, text«{"a":2}» or {a: text«2»}
  /Company("{"a":}") | text«{"a":}»
  # Several keys: plain ones share a parameter.
  /Company(1, "2",3) | list number«1», text«2», number«3»
  /Company(7;1, 7;2 ) | {number«7»; number«1»} or text«7;1», {number«7»; number«2»} or text«7;2»
`)('%s', (path, key) => {
  expect(addressed(path)).toBe(`Company ${key}`);
});

test.each(rows`
  ${''} | $catalog:
  / | $catalog:
  /$catalog/ | $catalog:
  /%24catalog/$all | $catalog: $all
  /$catalog/A,B/ | $catalog: A,B
  /$directory/login | $directory: login
  //A// | A
  /P%C3%A2te | Pâte
  /A%2Fb | A/b
  /A/b,c.d,e.* | A / b,c.d,e.*
  /A/b%2Fc/d | A / b/c / d
  /A(1)/b/c | A number«1» / b / c
  /A:mail(x@y)/b/c | A:mail word«x@y» / b / c
  /A:b(a;b) | A:b {word«a»; word«b»} or text«a;b»
  /A:b({"u":1}) | A:b {u: text«1»} or text«{"u":1}»
  /A:b( l) | A:b word«l» or text« l»
  /A:b(%20l) | A:b word«l» or text« l»
  /A:b(x,y) | A:b badUrl or text«x,y»
  /A/$entityset/0F3A/b/c | A set word«0F3A» / b / c
  /A/b/$entityset/0F3A/c | A set word«0F3A» / b / c
  /A/b/c//$entityset/0F3A/ | A set word«0F3A» / b / c
`)('%s', (path, expected) => {
  expect(addressed(path).trim()).toBe(expected);
});

test.each(rows`
  7                  | number«7» or text«7»
  7;2                | {number«7»; number«2»} or text«7;2»
  {"b": 2,"a":"%41"} | {b: text«2», a: text«%41»} or text«{"b": 2,"a":"%41"}»
  "a;b,c)/"\u0020    | text«a;b,c)/» or text«"a;b,c)/" »
  a,b)               | word«a,b)» or text«a,b)»
  a;                 | badUrl or text«a;»
  ${''} | badUrl or text«»
`)('$findKey=%s, already unescaped', (text, key) => {
  const values = new ValueList();
  expect(keyText(parseKey(text, '$findKey', values), values)).toBe(key);
});

test('the items of a list know where they stand', () => {
  const values = new ValueList();
  parsePath('/Company(1, "2",3)', values);
  const items = values.items[0]?.value as readonly { readonly position: number }[];
  expect(items.map(({ position }) => position)).toEqual([10, 13, 17]);
});
