import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { rows } from '../../rows.ts';
import { instrumented, mutantsOf, type Mutant } from './mutate.ts';
import { fewerKilled, mutantsIn, recordOf, type Tried } from './record.ts';
import { sampleLike, sampleOf, type SourceFile } from './sample.ts';

const FILE = 'src/room/file.ts';

/** The mutants of a piece of source, one a line. */
function said(text: string): string[] {
  return mutantsOf(FILE, text).map(
    ({ mutator, original, mutated }) => `${mutator}: ${original} → ${mutated}`,
  );
}

describe('mutants', () => {
  it.each(rows`
    const a = b === c;         | equality: b === c → b !== c
    const a = b < c;           | equality: b < c → b <= c | equality: b < c → b >= c
    const a = b || (c && d);   | logical: b || (c && d) → b && (c && d) | logical: c && d → c || d
    const a = b && c ? d : e;  | conditional: b && c → true | conditional: b && c → false | logical: b && c → b || c
    while (a) b();             | conditional: a → false
    const a = b + c * d;       | arithmetic: b + c * d → b - (c * d) | arithmetic: c * d → c / d
    const a = b + 'c' + d;     | string: 'c' → ''
    a ??= !b;                  | assignment: a ??= !b → a &&= !b | unary: !b → b
    a++;                       | update: a++ → a--
    const a = '';              | string: '' → 'mutated'
    const a = \`b\${c}\`;      | string: \`b\${c}\` → ''
    const [a] = [b];           | array: [b] → []
    [a, b] = [b, a];           | array: [b, a] → []
    const a = { b };           | object: { b } → {}
    function a() { b(); }      | block: { b(); } → {}
    a.filter(b).some(c);       | method: a.filter(b).some(c) → a.filter(b).every(c) | method: a.filter(b) → a
    a?.b.filter(c)?.d;         | optional chaining: a?.b.filter(c)?.d → a?.b.filter(c).d | method: a?.b.filter(c)?.d → a?.b?.d
      | optional chaining: a?.b.filter(c)?.d → a.b.filter(c)?.d
    a?.[0]?.(true);            | optional chaining: a?.[0]?.(true) → a?.[0](true) | optional chaining: a?.[0]?.(true) → a[0]?.(true)
      | boolean: true → false
    # None stands in names, imports, types, directives, errors and logs.
    import a from 'b';
    export { a } from 'b';
    await import('a');
    type A = 'b' \| true;
    interface A { readonly b: 'c' }
    const { 'a-b': c } = d;
    throw new Error('a');
    log.warn('a', b && c);
    'use strict';
  `)('of %s', (text, ...mutants) => {
    expect(said(text)).toEqual(mutants);
  });
});

describe('an instrumented file', () => {
  const text = 'function f(a, b) { return a > b ? [a, [b]] : a?.c.slice(b); }';
  const mutants = mutantsOf(FILE, text).map((mutant, id) => ({ ...mutant, id }));
  const run = (active: number | null, source: string): unknown => {
    const mutated = (id: number): boolean => id === active;
    try {
      const made: unknown = runInNewContext(`${source}; [f(2, 1), f({ c: 'xyz' }, 1)]`, {
        mutated,
      });
      return JSON.stringify(made);
    } catch (error) {
      return String(error);
    }
  };

  it('does what the file does, and with a mutant what this does', () => {
    const source = instrumented(text, mutants);
    expect(run(null, source)).toBe('[[2,[1]],"yz"]');
    expect(mutants.length).toBeGreaterThan(6);
    for (const { id, start, end, mutated } of mutants) {
      expect(run(id, source)).toEqual(run(null, text.slice(0, start) + mutated + text.slice(end)));
    }
  });
});

describe('a sample', () => {
  const file = (path: string, lines: number, count: number): SourceFile => ({
    path,
    lines,
    mutants: Array.from({ length: count }, (_, at) => mutant(path, at)),
  });
  const files = [
    file('src/a/one.ts', 50, 40),
    file('src/a/b/two.ts', 10, 9),
    file('src/c.ts', 30, 20),
  ];

  it('has of each room as many as its share of the lines', () => {
    const drawn = sampleOf(files, 9, 1).map(({ file: path }) => path.split('/').length > 2);
    expect(drawn.filter(Boolean)).toHaveLength(6);
    expect(drawn).toHaveLength(9);
  });

  it('is the same for a seed, and stays where files are added', () => {
    const drawn = sampleOf(files, 9, 1);
    expect(sampleOf(files, 9, 1)).toEqual(drawn);
    expect(sampleOf(files, 9, 2)).not.toEqual(drawn);
    const more = sampleOf([...files, file('src/d/more.ts', 90, 50)], 18, 1);
    expect(more).toEqual(expect.arrayContaining(drawn));
  });

  it('like that of a record has the places that are still there, each as often as before', () => {
    const [one, other] = sampleOf(files, 2, 1);
    const gone = mutant('src/gone.ts', 1);
    const record = [one, gone, other, one].flatMap((each) =>
      each === undefined ? [] : [{ ...each, line: 7, outcome: 'survived' as const, by: '' }],
    );
    expect(sampleLike(files, record)).toEqual([one, other]);
  });
});

describe('a record', () => {
  const tried = (file: string, line: number, outcome: Tried['outcome']): Tried => ({
    ...mutant(file, line),
    outcome,
    by: outcome === 'killed' ? 'test/a.test.ts' : '',
  });
  const before = [tried('src/a/b.ts', 1, 'killed'), tried('src/a/b.ts', 2, 'survived')];

  it('is read as it was written', () => {
    expect(recordOf(['seed 1'], before).split('\n').slice(0, 3)).toEqual([
      'seed 1',
      'room\tsampled\tkilled\ttimeout\tsurvived\tnot reached',
      'a\t2\t1\t0\t1\t0',
    ]);
    const kept = before.map((each) => ({ ...each, start: undefined, end: undefined }));
    expect(mutantsIn(recordOf(['seed 1'], before))).toEqual(kept);
  });

  it('tells the rooms that notice less than before, wherever the lines are', () => {
    const now = [tried('src/a/b.ts', 1, 'not reached'), tried('src/a/b.ts', 2, 'survived')];
    expect(fewerKilled(before, before)).toEqual([]);
    expect(fewerKilled(before, now)).toEqual([
      'a: 0 of 2 killed, 1 of 2 before',
      '  src/a/b.ts:1 a === 1 → a !== 1',
    ]);
  });
});

function mutant(file: string, line: number): Mutant {
  const [original, mutated] = [`a === ${line}`, `a !== ${line}`];
  return { file, line, mutator: 'equality', original, mutated, start: 0, end: 0 };
}
