import { beforeAll, expect, test } from 'vitest';
import { openApiWriting } from '../../src/contract/openapi.ts';
import { configSchema } from '../../src/config/config.ts';
import { Contract, type Document } from '../conformance/contract.ts';
import { readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import type { Answer } from '../targets/gateway.ts';

let contract: Contract;
beforeAll(async () => {
  const settings = configSchema.parse({ database: { engine: 'pglite', directory: 'none' } });
  const model = await sampleModel(readSnapshot('postgres'));
  const text = [...openApiWriting(model, settings)].join('');
  contract = new Contract(JSON.parse(text) as Document);
});

function answer(body: unknown, status = 200, type = 'application/json'): Answer {
  const text = JSON.stringify(body);
  return { status, headers: { 'content-type': type }, text, bytes: Buffer.from(text), body };
}

const holiday = {
  ...{ __entityModel: 'Holiday', __DATACLASS: 'Holiday', __KEY: '2024-07-14', __STAMP: 1 },
  ...{ date: '2024-07-14', name: 'Bastille', halfDay: false, closingTime: null },
};
const error = { message: 'No.', componentSignature: 'dbmg', errCode: 1543 };

const group = { halfDay: false, 'max(date)': '2024-07-14', count: 1, uri: '/rest/Holiday' };
const groups = (...list: readonly object[]): object => ({
  ...{ __DATACLASS: 'Holiday', __COUNT: 7, __FIRST: 0, __GROUPS: list, __SENT: list.length },
});
const GROUPED = 'Holiday?$groupby=halfDay&$aggregate=max(date),count';

test.each([
  ['a member that it does not have', 'GET', 'Holiday(1)', answer({ ...holiday, more: 1 })],
  ['a value of another type', 'GET', 'Holiday(1)', answer({ ...holiday, name: 1 })],
  ['a date of another form', 'GET', 'Holiday(1)', answer({ ...holiday, date: '14!7!2024' })],
  ['an entity of another dataclass', 'GET', 'Order(1)', answer(holiday)],
  ['a member too few', 'GET', 'Holiday(1)', answer({ ...holiday, __STAMP: undefined })],
  ['another media type', 'GET', 'Holiday(1)', answer(holiday, 200, 'text/html')],
  ['another status', 'GET', 'Holiday(1)', answer(holiday, 201)],
  ['an error of another shape', 'GET', 'Holiday(1)', answer({ error }, 404)],
  ['an unknown code', 'GET', 'Nothing', answer({ __ERROR: [{ ...error, errCode: 1 }] }, 404)],
  ['a success of a path that there is not', 'GET', 'Nothing', answer(holiday)],
  ['a success of a verb that there is not', 'DELETE', 'CompanyTurnover(1)/company', answer({})],
  ['a group without uri', 'GET', GROUPED, answer(groups({ ...group, uri: undefined }))],
  ['groups beside entities', 'GET', GROUPED, answer({ ...groups(group), __ENTITIES: [] })],
  ['groups without their number', 'GET', GROUPED, answer({ ...groups(), __COUNT: undefined })],
  ['a bare group without uri', 'GET', GROUPED, answer([group, { ...group, uri: undefined }])],
  ['entities in place of groups', 'GET', 'Holiday(1)', answer(groups(group))],
  ['a body where none belongs', 'GET', 'Holiday(1)', answer(holiday, 304)],
])('%s is noticed', (_, method, url, given) => {
  expect(contract.problem(method, `/rest/${url}`, given)).toEqual(expect.any(String));
});
