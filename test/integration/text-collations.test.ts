import { expect, test } from 'vitest';
import { mapped, onEngines, type Served, type Shape } from './shapes/engines.ts';

/** Names in a collation that tells neither upper from lower case nor a letter from its parts, and in one that folds ASCII alone. */
const shape: Shape = {
  postgres: `
CREATE SCHEMA words;
SET search_path TO words;
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE name (id int PRIMARY KEY, nm varchar(20) COLLATE loose, fixed char(8) COLLATE loose, plain text COLLATE "C");
INSERT INTO name VALUES (1, 'M\u00dcller', 'Ab', '\u00c9MILE \u03a3'), (2, E'mu\\u0308ller-L\u00fcdenscheidt', 'ABC', '\u00e9mile \u03c3'),
  (3, E'm\\u00adl\\u00fcmm', 'x', 'Emile'), (4, NULL, NULL, NULL), (5, '', '', '');
`,
  sqlserver: [],
  mappings: mapped(`
name: {dataclass: Name, table: words.name, stamp: hash, attributes: {ID: id, nm: nm, fixed: fixed, plain: {column: plain, ignoreCase: true},
  folded: {column: nm, ignoreCase: true}}, relations: {}}
`),
};

/** The keys that a filter finds, or the code of its error. */
async function found(served: Served, filter: string): Promise<unknown> {
  const quoted = encodeURIComponent(`"${filter}"`);
  const [status, body] = await served.get(`Name?$filter=${quoted}&$attributes=ID&$asArray=true`);
  if (status === 200) return (body as readonly { readonly ID: number }[]).map(({ ID }) => ID);
  return (body as { readonly __ERROR: readonly { errCode: number }[] }).__ERROR[0]?.errCode;
}

onEngines('text in collations of its own', shape, (served) => {
  test('is read', async () => {
    const names = await served.get('Name?$filter="ID<2"&$attributes=nm,fixed,plain&$asArray=true');
    expect(names).toMatchObject([200, [{ nm: 'MÜller', fixed: 'Ab      ', plain: 'ÉMILE Σ' }]]);
  });

  test.each([
    ['plain = émile σ', [1, 2]],
    ['plain = ÉMILE@', [1, 2]],
    ['plain % É', [1, 2]],
    ['plain in [ÉMILE Σ, emile]', [1, 2, 3]],
    ['plain != émile@', [3, 5]],
    ['plain < F AND plain > a', [3]],
  ])('folds all letters, whatever the collation says: %s', async (filter, expected) => {
    expect(await found(served, filter)).toEqual(expected);
  });
});

onEngines(
  'text in a nondeterministic collation',
  shape,
  (served) => {
    test.each([
      ['nm = müller', [1]],
      ['nm begin MÜL', [1, 2]],
      ['nm = mül@', [1, 2]],
      ['nm = mül*', [1, 2]],
      ['nm begin ml', [3]],
      ['nm = @', [1, 2, 3, 5]],
      ['nm != mül@', [3, 5]],
      ['NOT (nm begin mül)', [3, 5]],
      ['fixed begin aB', [1, 2]],
      ['folded begin mÜl', [1, 2]],
    ])('begins with a text: %s', async (filter, expected) => {
      expect(await found(served, filter)).toEqual(expected);
    });

    test.each(['nm % l', 'nm = @er', 'nm = m@r', 'nm != @er@', 'folded % l'])(
      'has no other patterns before PostgreSQL 18: %s',
      async (filter) => {
        expect(await found(served, filter)).toBe(1112);
      },
    );
  },
  // PGlite has PostgreSQL 18, and a part of ICU's data.
  ['pglite'],
);
