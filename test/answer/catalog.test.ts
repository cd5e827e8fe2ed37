import { describe, expect, test } from 'vitest';
import { catalogText } from '../../src/answer/catalog.ts';
import { audiencesOf, somebody } from '../access/sample-roles.ts';

/** What the catalog tells the holder of roles that they may change of Country: the changes, and the attributes that are not read only. */
async function changesTold(...granted: readonly object[]): Promise<unknown> {
  const roles = Object.fromEntries(
    granted.map((grant, index) => [`r${index}`, { dataclasses: { Country: grant } }]),
  );
  const { model } = (await audiencesOf(roles))(somebody(Object.keys(roles)));
  const head = { application: 'Test', uniqueId: 'ID', logins: [] };
  const { dataClasses } = JSON.parse(
    catalogText(model, model.dataclasses.values(), 'full', head),
  ) as {
    readonly dataClasses: readonly {
      readonly extraProperties: { readonly changes: readonly string[] };
      readonly attributes: readonly { readonly name: string; readonly readOnly?: boolean }[];
    }[];
  };
  return dataClasses.map(({ extraProperties: { changes }, attributes }) => [
    changes,
    attributes.filter(({ readOnly }) => readOnly !== true).map(({ name }) => name),
  ]);
}

const ALL = ['code', 'name', 'isoNumber', 'inEU', 'population', 'currency'];

describe('the catalog tells a role what it may change', () => {
  test.each([
    ['nothing, and of no attribute', [{ read: true }], [], []],
    [
      'nothing, whatever its attributes',
      [{ read: true, attributes: { name: 'readOnly' } }],
      [],
      [],
    ],
    ['without creating', [{ read: true, update: true, delete: true }], ['update', 'delete'], ALL],
    ['without deleting', [{ read: true, create: true, update: true }], ['create', 'update'], ALL],
    ['deleting alone', [{ read: true, delete: true }], ['delete'], []],
    ['creating alone', [{ read: true, create: true }], ['create'], ALL],
    ['some of the entities', [{ read: true, update: 'inEU = true' }], ['update'], ALL],
    [
      'some of the attributes',
      [
        {
          ...{ read: true, create: true, update: true, delete: true },
          attributes: { name: 'readOnly', currency: 'hidden' },
        },
      ],
      ['create', 'update', 'delete'],
      ['code', 'isoNumber', 'inEU', 'population'],
    ],
    [
      'what any of several roles may',
      [
        { read: true, create: true },
        { read: true, delete: true },
      ],
      ['create', 'delete'],
      ALL,
    ],
  ])('%s', async (_title, grants, changes, attributes) => {
    expect(await changesTold(...grants)).toEqual([[changes, attributes]]);
  });
});
