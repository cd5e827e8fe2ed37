import { describe, expect, it } from 'vitest';
import { engines, testsNamed } from './named-tests.ts';
import { read, tableRows } from './markdown.ts';

const page = tableRows(read('docs/reference/spec-coverage.md'));
type Rows = typeof page;

/** The sections as the page lists them, with the number of their statements. */
const listed = page
  .filter(({ heading, cells: [section] }) => heading === 'Sections' && section !== 'section')
  .map(({ cells: [section = '', , count = ''] }) => [section, Number(count)] as const);

/** The rows of the sections, by their headings. */
const sections = new Map<string, Rows>();
for (const row of page) {
  const section = /^§[\d.]+/.exec(row.heading)?.[0];
  if (section === undefined || row.cells[0] === 'statement') continue;
  sections.set(section, [...(sections.get(section) ?? []), row]);
}

const names = engines.map(({ name }) => name);

/** The engines that a row says: `all three`, `none needed`, or their names. */
function inRow(text: string): readonly string[] {
  if (text === 'all three') return names;
  return text === 'none needed' ? [] : text.split(', ');
}

/** Whether a section can follow another one: 4.1 is after 3.3, and 4.2 after 4.1. */
function follows(one: string, other: string): boolean {
  const [major = 0, minor = 0] = one.slice(1).split('.').map(Number);
  const last = minor === 0 ? '' : `§${major}.${minor + 1}`;
  return [last, `§${major + 1}`, `§${major + 1}.1`].includes(other);
}

describe('docs/reference/spec-coverage.md', () => {
  it('has the statements that it says it has, section by section without a gap', () => {
    expect([...sections].map(([section, rows]) => [section, rows.length])).toEqual(listed);
    const names = ['§0', ...listed.map(([section]) => section)];
    const gaps = names.filter((name, index) => index > 0 && !follows(names[index - 1] ?? '', name));
    expect(gaps).toEqual([]);
  });

  it('has each statement once', () => {
    const statements = [...sections].flatMap(([section, rows]) =>
      rows.map(({ cells: [statement = ''] }) => `${section} ${statement}`),
    );
    expect(statements.filter((text, index) => statements.indexOf(text) !== index)).toEqual([]);
  });

  it.each([...sections.keys()])(
    'names tests that there are, and their engines: %s',
    async (section) => {
      for (const { cells } of sections.get(section) ?? []) {
        const [statement = '', shown = '', ran = '', ...more] = cells;
        expect([statement === '', more], statement).toEqual([false, []]);
        const named = Array.from(shown.matchAll(/`([^`]+)`/g), ([, text = '']) => text);
        expect(named, statement).not.toEqual([]);
        expect(named.map((text) => `\`${text}\``).join('<br>'), statement).toBe(shown);
        const found = await Promise.all(named.map(testsNamed));
        expect(
          named.filter((_, index) => found[index]?.length === 0),
          statement,
        ).toEqual([]);
        const told = inRow(ran);
        const possible = found.flat();
        const certain = possible.filter(({ isOnAll }) => isOnAll);
        expect(
          {
            without: told.filter((name) => !possible.some((test) => test.engines.includes(name))),
            left: certain.flatMap((test) => test.engines).filter((name) => !told.includes(name)),
            isNone: told.length === 0,
          },
          statement,
        ).toEqual({
          without: [],
          left: [],
          isNone: possible.every((test) => test.engines.length === 0),
        });
      }
    },
  );

  it.each([
    'conformance/collections › §4.2 rule 1 $tops',
    'conformance/collections › §4.10 $compute=sum is the bare value',
    'answer/row-writers › of each column what it holds',
    'respond/nothing › says of each column what it holds',
    'golden/entities › nothing',
  ])('finds no test where there is none: %s', async (text) => {
    expect(await testsNamed(text)).toEqual([]);
  });
});
