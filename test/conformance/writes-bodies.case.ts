import type { Request } from './client.ts';
import { errors, failed, type Refusals } from './write-oracle.ts';
import { type WriteCase, writing } from './write-suite.ts';

const category = (body: string | Uint8Array): Request => ({ url: 'Category', body });
const nested = (depth: number): Request =>
  category(`{"position":${'['.repeat(depth)}${']'.repeat(depth)}}`);

const EMPTY = `The body is empty; expected an object with the attributes of an entity, or an array of such objects.`;
const LARGE = `The body is larger than 16777216 bytes (16 MB), the most that is accepted. Send less at once.`;
const DEEP = 'The body is not valid JSON: it is nested too deeply (at position 1 of the body)';

/** Bodies that a line of text does not hold. */
const refused: readonly (readonly [
  title: string,
  request: Request,
  status: number,
  ...refusals: Refusals,
])[] = [
  ['of blanks', category(' \n\t'), 400, [9016, EMPTY]],
  [
    'not in UTF-8',
    category(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d)),
    400,
    [9016, 'The body is not in UTF-8.'],
  ],
  ['too large', category(`{"description":"${'x'.repeat(17 * 2 ** 20)}"}`), 413, [9005, LARGE]],
  ['nested too deeply', nested(200_000), 400, [9016, DEEP]],
  [
    'of another verb',
    { method: 'PROPFIND', url: 'Employee(1)', body: {} },
    405,
    [9004, 'PROPFIND does not apply to /rest/Employee(1).'],
  ],
];

export const writes: readonly WriteCase[] = [
  ...refused.map(([title, request, status, ...refusals]) =>
    writing(`§4.6 a body that is refused: ${title}`, async (rest) => {
      await rest.answers(request, errors(refusals), status);
    }),
  ),
  writing('§4.6 a body that is nested deeply', async (rest) => {
    const said = `${'['.repeat(60)}… is not a value for Category.position: expected one value, not an array.`;
    const missing = [1116, 'Category.code is mandatory: it needs a value.'] as const;
    await rest.answers(nested(500), failed(null, [1508, said], missing), 400);
  }),
];
