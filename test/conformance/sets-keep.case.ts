import type { Client } from './client.ts';
import { EntitySet } from './entity-set.ts';
import { encoded, sortedBy } from './finders.ts';
import { collection, rowsOf, type Row } from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';
import { refusal } from './values.ts';

/** An id that no set has. */
const NOBODY = '0123456789ABCDEF0123456789ABCDEF';

const employees = rowsOf('Employee');
const graded = employees.filter(({ GRADE_CD }) => GRADE_CD === 9);

const gradedSet = (rest: Client, query = ''): Promise<EntitySet> =>
  EntitySet.make(
    rest,
    `Employee?$filter="grade=9"&$method=entityset&$top=2${query}`,
    'Employee',
    graded,
    {
      top: 2,
    },
  );

/** Nothing makes a set under an id that was not given out. */
async function expectNoId(rest: Client, id: string): Promise<void> {
  for (const query of ['', '?$method=release', `?${BACK}`, `?$findKey=1&${BACK}`, '']) {
    const request = { method: 'GET', url: `Employee/$entityset/${id}${query}` };
    await rest.answers(request, refusal(1802, /is not an id of an entity set/), 404);
  }
}

/** An id with another digit at a place. */
function swapped(id: string, at: number): string {
  return `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;
}

const BACK = '$savedfilter="grade=9"';

/** What is asked of a set that is not there. */
const uses: readonly string[] = [
  '',
  '?$top=1',
  '?$filter="ID=1"',
  '?$orderby=ID',
  '?$findKey=1',
  '?$method=entityset',
  '?$method=release',
  '?$clean=true',
  '?$clean=true&$method=entityset',
  `?$logicOperator=AND&$otherCollection=${NOBODY}`,
  '/lastName',
];

/** §3.1: removed by the client, or never there. */
const removed: readonly SequenceCase[] = [
  ...uses.map((query) =>
    sequence(`§7 1802 an unknown set: ID${query}`, async (rest) => {
      await rest.answers(
        { method: 'GET', url: `Employee/$entityset/${NOBODY}${query}` },
        refusal(1802, new RegExp(NOBODY)),
        404,
      );
    }),
  ),
  ...uses.map((query) =>
    sequence(`§3.1 a released set: ID${query}`, async (rest) => {
      const set = await gradedSet(rest);
      await set.release();
      await set.answers(query, refusal(1802, new RegExp(set.id)), 404);
    }),
  ),
  ...["?$method='release'", '?$method="release"', '/?$method=release'].map((query) =>
    sequence(`§4.6 a release as clients write it: ID${query}`, async (rest) => {
      const set = await gradedSet(rest);
      await set.answers(query, { ok: true });
      await set.answers('', refusal(1802), 404);
    }),
  ),
  sequence(
    '§4.6 $method=release with $savedfilter gives up what is there, and makes nothing again',
    async (rest) => {
      const set = await gradedSet(rest);
      const query = `?$method=release&${BACK}&$savedorderby=ID`;
      await set.answers(query, { ok: true });
      await set.answers(query, refusal(1802, new RegExp(set.id)), 404);
      await set.answers('', refusal(1802), 404);
    },
  ),
  sequence(
    '§7 1802 the id of a set that is gone is none of another dataclass, which makes nothing under it',
    async (rest) => {
      const set = await gradedSet(rest);
      await set.release();
      for (const query of ['', '?$savedfilter="ID>3"']) {
        await rest.answers(
          { method: 'GET', url: `Company/$entityset/${set.id}${query}` },
          refusal(1802, /is not an id of an entity set of Company/),
          404,
        );
      }
      await set.reads(`?${BACK}`, {});
    },
  ),
  sequence('§4.6 $method=release takes one set, and leaves the others', async (rest) => {
    const one = await gradedSet(rest);
    const other = await gradedSet(rest);
    await one.release();
    await one.answers('?$method=release', refusal(1802, new RegExp(one.id)), 404);
    await other.holds();
  }),
  ...['abc', 'nothing', NOBODY, NOBODY.toLowerCase(), 'A'.repeat(46), 'A-B', '%27'].map((id) =>
    sequence(`§7 1802 no id of a set: ${id}`, (rest) => expectNoId(rest, id)),
  ),
  sequence('§7 1802 an id that was made up of that of a set', async (rest) => {
    const { id } = await gradedSet(rest);
    for (const madeUp of [swapped(id, 0), swapped(id, id.length - 1), `${id}0`, id.toLowerCase()])
      await expectNoId(rest, madeUp);
  }),
  ...['', '?$top=1', '?$method=release', '?$savedfilter="ID=1"'].map((query) =>
    sequence(`§7 1803 a set of another dataclass: ID${query}`, async (rest) => {
      const set = await gradedSet(rest);
      await rest.answers(
        { method: 'GET', url: `Company/$entityset/${set.id}${query}` },
        refusal(1803, /Employee/, /Company/),
        400,
      );
      await set.holds();
    }),
  ),
  ...(['entityset', 'subentityset', 'release'] as const).map((method) =>
    sequence(`§4.6 $method=${method} is asked for by GET`, async (rest) => {
      const set = await gradedSet(rest);
      const url = method === 'subentityset' ? `Company(1)/employees` : set.path;
      for (const verb of ['POST', 'PUT', 'DELETE']) {
        const answer = await rest.answers(
          { method: verb, url: `${url}?$method=${method}` },
          refusal(9004, new RegExp(method), /GET/),
          405,
        );
        if (answer.headers['allow'] !== 'GET, OPTIONS')
          throw new Error('Allow says something else');
      }
      await set.holds();
    }),
  ),
];

const byID = sortedBy(graded, 'EMP_NO', 'desc');

/** Parameters of the creation, those of the reading that brings the set back, and what it holds then. */
const recreations: readonly (readonly [made: string, read: string, rows: readonly Row[]])[] = [
  ['$filter="grade=9"&$savedfilter="grade=9"', '$savedfilter="grade=9"', graded],
  ['$filter="grade=9"&$savedfilter=true', '$savedfilter="grade=9"', graded],
  [`$filter="grade=9"&$savedfilter='grade=9'`, '$savedfilter=grade%3D9', graded],
  [
    '$filter="grade=9"&$savedfilter="grade=9"&$orderby="ID desc"&$savedorderby="ID desc"',
    '$savedfilter="grade=9"&$savedorderby="ID desc"',
    byID,
  ],
  [
    '$filter="grade=9"&$savedfilter=true&$orderby="ID desc"&$savedorderby=true',
    `$savedfilter='grade=9'&$savedorderby="ID desc"`,
    byID,
  ],
  [
    '$filter="grade=9"&$savedfilter="grade=9"&$timeout=60',
    '$savedfilter="grade=9"&$timeout=60',
    graded,
  ],
  ['$filter="grade=9"', '$savedfilter="grade=9"', graded],
  [
    `$orderby="ID desc"&$savedfilter='$all'&$savedorderby="ID desc"`,
    `$savedfilter='$all'&$savedorderby="ID desc"`,
    employees.toReversed(),
  ],
  [`$savedfilter="$all"`, `$savedfilter="$all"`, employees],
  ['$savedfilter=$all', '$savedfilter=$all', employees],
  [
    `$filter="grade=:1"&$params='${encoded('[9]')}'&$savedfilter="grade=9"`,
    '$savedfilter="grade=9"',
    graded,
  ],
];

/** §4.9: a set that is gone comes back under its id. */
const recreated: readonly SequenceCase[] = [
  ...recreations.map(([made, read, rows]) =>
    sequence(`§4.9 a set made with ${made} comes back by ${read}`, async (rest) => {
      const set = await EntitySet.make(
        rest,
        `Employee?${made}&$method=entityset&$top=3`,
        'Employee',
        rows,
        { top: 3 },
      );
      await set.reads(`?${read}&$top=3`, { top: 3 });
      await set.release();
      await set.answers('', refusal(1802), 404);
      await set.reads(`?${read}&$top=3`, { top: 3 });
      await set.holds();
      await set.reads('?$skip=3&$top=2', { skip: 3, top: 2 });
    }),
  ),
  sequence(
    '§4.9 a set that comes back is read as any other: a page, shaped, narrowed',
    async (rest) => {
      const set = await gradedSet(rest, '&$savedfilter="grade=9"');
      await set.release();
      await set.reads(
        '?$savedfilter="grade=9"&$skip=2&$top=3&$attributes=lastName&$filter="ID>100"',
        { skip: 2, top: 3, attributes: 'lastName' },
        graded.filter(({ EMP_NO }) => EMP_NO > 100),
      );
      await set.holds();
    },
  ),
  sequence('§4.9 a set comes back by $savedfilter with $params', async (rest) => {
    const set = await gradedSet(rest);
    await set.release();
    await set.reads(`?$savedfilter="grade=:1"&$params='[9]'&$top=2`, { top: 2 });
    await set.holds();
  }),
  sequence('§4.9 a set that comes back is searched by $findKey', async (rest) => {
    const set = await gradedSet(rest);
    const key = byID[1]?.EMP_NO ?? 0;
    const query = `?$findKey=${key}&$savedfilter="grade=9"&$savedorderby="ID desc"`;
    await set.answers(query, { result: graded.length - 2 });
    await set.release();
    await set.answers(query, { result: 1 });
    await set.holds(byID);
  }),
  sequence('§4.9 a set that is there stays as it is, whatever $savedfilter says', async (rest) => {
    const set = await gradedSet(rest, '&$savedfilter="grade=9"');
    await set.reads('?$savedfilter="grade=8"&$savedorderby="ID desc"');
  }),
  sequence('§4.9 both sets of a combination, the first of them brought back', async (rest) => {
    const first = await gradedSet(rest);
    const second = await EntitySet.make(
      rest,
      'Employee?$filter="ID<200"&$method=entityset&$top=0',
      'Employee',
      employees.slice(0, 199),
      { top: 0 },
    );
    await first.release();
    await first.reads(
      `?$savedfilter="grade=9"&$logicOperator=AND&$otherCollection=${second.id}`,
      {},
      graded.filter(({ EMP_NO }) => EMP_NO < 200),
    );
  }),
  ...(
    [
      ['$savedfilter="grad=9"', 404, 1500, [/grade/, /\$savedfilter/]],
      ['$savedfilter="grade="', 400, 1162, [/\$savedfilter/]],
      ['$savedfilter="grade=9"&$savedorderby="photo"', 400, 1594, [/photo/, /\$savedorderby/]],
      ['$savedfilter="grade=9"&$timeout=0', 400, 9007, [/\$timeout/]],
    ] as const
  ).map(([query, status, errCode, says]) =>
    sequence(`§7 ${errCode} a set does not come back by ${query}`, async (rest) => {
      const set = await gradedSet(rest);
      await set.release();
      await set.answers(`?${query}`, refusal(errCode, ...says), status);
      await set.answers('', refusal(1802), 404);
    }),
  ),
  sequence('§7 1802 $savedorderby alone brings nothing back', async (rest) => {
    const set = await gradedSet(rest);
    await set.release();
    await set.answers('?$savedorderby="ID desc"', refusal(1802), 404);
  }),
];

/** §4.8 where nothing has been deleted. */
const cleaned: readonly SequenceCase[] = [
  sequence('§4.8 $clean of a set without deleted entities is the same set', async (rest) => {
    const set = await gradedSet(rest);
    await set.reads('?$clean=true');
    await set.reads('?$clean=TRUE&$top=2', { top: 2 });
    await set.reads('?$clean=false');
    const made = await set.makes('?$clean=true&$method=entityset');
    await set.release();
    await made.holds();
  }),
  sequence('§4.8 an empty set is clean', async (rest) => {
    const url = 'Employee?$filter="ID<0"&$method=entityset';
    const set = await EntitySet.make(rest, url, 'Employee', []);
    await set.answers('?$clean=true', collection('Employee', []));
    await set.makes('?$clean=true&$method=entityset');
  }),
];

export const sequences: readonly SequenceCase[] = [...removed, ...recreated, ...cleaned];
