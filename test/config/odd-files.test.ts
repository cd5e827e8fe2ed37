import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { loadMappings } from '../../src/config/mapping.ts';
import { readYaml } from '../../src/config/document/yaml.ts';
import { configProblems, startupProblems, sharedFolder } from './files.ts';
import { rows } from '../rows.ts';

const folder = await sharedFolder();

const notYaml = (place: string, message: string): string =>
  `config.yaml:${place}: this is not valid YAML: ${message}`;
const NO_TAG = 'this tag is not known. Text that begins with ! needs quotes.';
const UNRESOLVED =
  'Unresolved alias (the anchor must be set before the alias). Text that begins with * needs quotes.';

/** Each name is ten times the one before. */
const LAUGHS = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${Array.from('bcdefghij', (name, index) => {
  return `${name}: &${name} [${`*${'abcdefghi'.charAt(index)},`.repeat(10)}]\n`;
}).join('')}`;

const UNKNOWN = Array.from({ length: 5000 }, (_, index) => `k${index}: 1\n`).join('');

describe('config.yaml ends with one message', () => {
  test.each(rows`
    names that all objects know | constructor: 1\ntoString: 2\nhasOwnProperty: { length: 1 } | config.yaml:1:1: unknown setting "constructor".
      | config.yaml:2:1: unknown setting "toString". | config.yaml:3:1: unknown setting "hasOwnProperty".
    __proto__ of a section                | server: { __proto__: { port: 1 } } | config.yaml:1:11: "__proto__" cannot be a name: give another one
    __proto__ through an alias            | x: &a { b: 1 }\n__proto__: *a | config.yaml:2:1: "__proto__" cannot be a name: give another one
    a merge, which YAML 1.2 does not have | x: &a { port: 1 }\nserver: { <<: *a } | config.yaml:1:1: unknown setting "x". | config.yaml:2:11: unknown setting "<<".
    a merge of YAML 1.1                   | %YAML 1.1\n---\nx: &a { port: 1 }\nserver: { <<: *a } | config.yaml:3:1: unknown setting "x". | config.yaml:4:11: unknown setting "<<".
    a directive of no YAML                | %YAML 9.9\n---\n{} | ${notYaml('1:7', 'Unsupported YAML version 9.9')}
    an alias in its own value             | server: &a\n  port: *a | ${notYaml('2:9', 'this alias stands in what it means')}
    a merge of itself                     | a: &a\n  <<: *a | ${notYaml('2:7', 'this alias stands in what it means')}
    a billion laughs                      | ${LAUGHS} | config.yaml: this is not valid YAML: Excessive alias count indicates a resource exhaustion attack
    a list as a name                      | ? [a]\n: 1 | ${notYaml('1:3', 'a list or names with values stand in the place of a name')}
    a function                            | application: !!js/function "x" | ${notYaml('1:14', NO_TAG)}
    bytes                                 | server: !!binary aGVsbG8= | ${notYaml('1:9', NO_TAG)}
    a secret with a sign of YAML          | stampSecret: !12345678 | ${notYaml('1:14', NO_TAG)}
    two documents                         | server: {}\n---\nserver: {} | ${notYaml('2:1', 'a second document begins here: expected one, without --- between its lines')}
    tabs                                  | server:\n\tport: 1 | ${notYaml('2:1', 'Tabs are not allowed as indentation')}
    a NUL                                 | server:\n  host: a\u0000b | config.yaml:2:10: a NUL character stands here: expected text, saved as UTF-8
    a command to the terminal             | "\\e[31mred": 1 | config.yaml:1:1: unknown setting "\\u001b[31mred".
    a number that is none                 | server: { port: ${'9'.repeat(400)} } | config.yaml:1:17: "server.port": expected a whole number, found Infinity
    a long connection string | database: { engine: sqlserver, url: "Server=h;${'a'.repeat(100_000)}" }
      | config.yaml:1:37: "database.url": expected a text of 16384 characters or less
  `)('%s', async (_, text, ...expected) => {
    expect(await configProblems(folder, text)).toEqual(expected);
  });

  test.each(rows`
    duplicate names     | ${'a: 1\n'.repeat(5000)}             | ${notYaml('2:1', 'Map keys must be unique')} | and 4,979 more
    aliases of nothing  | a: [${'*a,'.repeat(900)}]            | ${notYaml('1:5', UNRESOLVED)} | and 880 more
    unknown names       | ${UNKNOWN}                           | config.yaml:1:1: unknown setting "k0". | and 4,980 more
    wrong values        | cors: { origins: [${'{},'.repeat(5000)}] } | config.yaml:1:19: "cors.origins.0": expected a text, found {} | and 4,980 more
    variables that are not set | cors: { origins: [${'"${ENV:NO}",'.repeat(5000)}] }
      | config.yaml:1:19: the environment variable NO is not set | and 1 more
  `)('of %s', async (_, text, first, last) => {
    const found = await configProblems(folder, text);
    expect([found?.length, found?.[0], found?.at(-1)]).toEqual([21, first, last]);
  });

  const notUtf8 = 'is not a character of UTF-8: save the file as UTF-8';
  const utf16 = Buffer.from('\uFEFFserver: {}', 'utf16le');
  const wrongPort = ':1:17: "server.port": expected a whole number, found "x"';

  test.each([
    [Buffer.from('x: 1\napplication: café', 'latin1'), `:2:17: the byte 0xE9 ${notUtf8}`],
    [Buffer.from('application: é').subarray(0, -1), `:1:14: the byte 0xC3 ${notUtf8}`],
    [utf16, ': is written in UTF-16: save it as UTF-8'],
    [Buffer.from(utf16).swap16(), ': is written in UTF-16: save it as UTF-8'],
    [Buffer.from('\uFEFFserver: { port: x }'), wrongPort],
  ])('bytes that are not UTF-8 alone (%#)', async (bytes, expected) => {
    const path = join(folder.path, 'config.yaml');
    await writeFile(path, bytes);
    expect(await startupProblems(() => loadConfig(path, {}), folder)).toEqual([
      `config.yaml${expected}`,
    ]);
  });

  test('a name that objects know is not a variable of the environment', async () => {
    expect(await configProblems(folder, 'application: ${ENV:constructor}')).toEqual([
      'config.yaml:1:14: the environment variable constructor is not set',
    ]);
  });

  test.each(rows`
    application: \${ENV:HOME | 1:14: \${ENV: has no } at its end: expected \${ENV:…}
    application: "\${ENV:HOME \${FILE:x}" | 1:14: \${ENV: has no } at its end: expected \${ENV:…}
    database: { engine: postgres, url: "postgres://u:\${ENV:PW@h/d" } | 1:36: \${ENV: has no } at its end: expected \${ENV:…}
    application: "${'${ENV:A}'.repeat(2000)}" | 1:14: holds 2000 references: expected 100 at most
    application: "\${FILE:a\\0b}" | 1:14: a\\u0000b: is not a path: a NUL character stands in it
    application: \${FILE:/dev/zero} | 1:14: /dev/zero: is a pipe or a device, not a file
    application: \${FILE:.} | 1:14: .: is a folder, not a file
  `)('a reference: %.60s', async (text, expected) => {
    expect(await configProblems(folder, text)).toEqual([`config.yaml:${expected}`]);
  });

  test('a value in a file is text, and short', async () => {
    await writeFile(join(folder.path, 'latin'), Buffer.from('a\ncafé', 'latin1'));
    await folder.write('long', 'x'.repeat(1_048_577));
    await folder.write('marked', '\uFEFFErp\n');
    const text = 'application: ${FILE:latin}\nstampSecret: ${FILE:long}';
    expect(await configProblems(folder, text)).toEqual([
      'config.yaml:1:14: latin: the byte 0xE9 is not a character of UTF-8: save the file as UTF-8 (line 2)',
      'config.yaml:2:14: long: has 2 MiB: expected 1 MiB at most',
    ]);
    const path = await folder.write('config.yaml', 'application: ${FILE:marked}');
    expect((await loadConfig(path, {})).application).toBe('Erp');
  });
});

test('a value that aliases share has each of its references resolved', async () => {
  const text =
    'server: { hosts: &a ["${ENV:NAME}", b] }\ncors: { origins: ["https://${ENV:NAME}"] }\napplication: ${ENV:NAME}';
  const path = await folder.write('config.yaml', text);
  const { server, cors, application } = await loadConfig(path, { NAME: 'h.example' });
  expect([server.hosts, cors?.origins, application]).toEqual([
    ['h.example', 'b'],
    ['https://h.example'],
    'h.example',
  ]);
});

const big = async (place: string): Promise<void> => {
  await writeFile(place, '');
  await truncate(place, 30_000_000);
};

test.each<[make: (place: string) => unknown, expected: string]>([
  [(place) => mkdir(place), 'is a folder, not a file'],
  [(place) => execFileSync('mkfifo', [place]), 'is a pipe or a device, not a file'],
  [(place) => symlink('/dev/zero', place), 'is a pipe or a device, not a file'],
  [(place) => symlink(place, place), 'is a link that leads to itself'],
  [(place) => symlink('nothing', place), 'there is no such file'],
  [big, 'has 29 MiB: expected 8 MiB at most'],
])('%s: what is not a file %s', async (make, expected) => {
  const place = join(folder.path, `of-${Math.random()}.yaml`);
  await make(place);
  expect(await startupProblems(() => readYaml(place), folder)).toEqual([
    `${place.slice(folder.path.length + 1)}: ${expected}`,
  ]);
});

describe('the folder of the mapping files', () => {
  const mappings = (name: string): Promise<string[] | null> =>
    startupProblems(() => loadMappings(join(folder.path, name), 'mappings'), folder);

  test('has one list of what is wrong with all of them', async () => {
    for (let index = 0; index < 30; index += 1) {
      await folder.write(`many/${index}.yaml`, 'a: 1\n'.repeat(30));
    }
    const found = await mappings('many');
    expect([found?.length, found?.[0], found?.at(-1)]).toEqual([
      21,
      'many/0.yaml:2:1: this is not valid YAML: Map keys must be unique',
      'and 850 more',
    ]);
  });

  test('leads to itself', async () => {
    await symlink('itself', join(folder.path, 'itself'));
    expect(await mappings('itself')).toEqual([`mappings: itself: is a link that leads to itself`]);
  });

  test('holds links to folders, and names that a terminal would obey', async () => {
    await folder.write('odd/a\u001B[31m\nb.yaml', 'a: 1');
    await symlink('..', join(folder.path, 'odd', 'up.yaml'));
    await symlink('.', join(folder.path, 'odd', 'self'));
    expect(await mappings('odd')).toEqual([
      'odd/a\\u001b[31m\\u000ab.yaml:1:1: unknown setting "a".',
      'odd/a\\u001b[31m\\u000ab.yaml:1:1: names no table: expected "table: SCHEMA.NAME" or "view: SCHEMA.NAME"',
      'odd/up.yaml: is a folder, not a file',
    ]);
  });

  test('names members as all objects do', async () => {
    await folder.write(
      'known/a.yaml',
      'dataclass: constructor\ntable: S.T\nattributes: { constructor: A, toString: B, hasOwnProperty: { column: C } }',
    );
    const { dataclasses } = await loadMappings(join(folder.path, 'known'));
    expect(dataclasses[0]?.mapping).toMatchObject({
      dataclass: 'constructor',
      attributes: { constructor: 'A', toString: 'B', hasOwnProperty: { column: 'C' } },
    });
    expect(dataclasses[0]?.file.locate(['attributes', 'toString'])).toMatch(/:3:41$/);
  });
});
