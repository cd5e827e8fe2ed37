import { describe, expect, test } from 'vitest';
import { rolesSetting } from '../../../src/config/settings/roles.ts';
import { parsed, rows } from '../../rows.ts';
import { problemsOf } from '../sample-roles.ts';

/** One role `r` with these dataclasses. */
const role = (dataclasses: unknown): unknown => ({ r: { dataclasses } });

describe('roles of the configuration', () => {
  test('that fit have nothing wrong with them', async () => {
    expect(
      await problemsOf(
        role({
          '*': { read: true },
          Company: {
            where: 'city = $claims.city',
            read: true,
            create: true,
            update: 'creditLimit < 100 and name IN $claims.names',
            delete: 'founded > 2000-01-01',
            attributes: { creditLimit: 'hidden', employees: 'hidden', name: 'readOnly' },
          },
          // What the mapping file does not expose can be compared all the same.
          Employee: { read: 'salary < 5000' },
        }),
      ),
    ).toEqual([]);
  });

  const many = 'names attributes, and * stands for many dataclasses';

  test.each(rows`
    { Compny: { read: true } } | Compny | there is no dataclass Compny. Did you mean Company?
    { Company: { update: true } } | Company.update | takes read: what cannot be seen cannot be changed
    { Company: { read: true, attributes: { nam: hidden } } } | Company.attributes.nam | Company has no attribute nam. Did you mean name?
    { Company: { read: true, attributes: { ID: hidden } } } | Company.attributes.ID | ID is part of the key of Company, by which entities are called: it cannot be hidden
    { Company: { read: 'cty = x' } } | Company.read | Company has no attribute cty. Did you mean city? (at position 1 of read)
    { Company: { read: true, where: 'country.nam = x' } } | Company.where | Country has no attribute nam. Did you mean name? (at position 1 of where)
    { Company: { read: true, delete: 'creditLimit = much' } } | Company.delete | "much" is not a value for Company.creditLimit: expected a number (at position 15 of delete)
    { Company: { read: 'city begin' } } | Company.read | Expected a value, but found the end. (at position 11 of read)
    { Company: { read: 'city = :1' } } | Company.read | placeholders have no values here
    { Company: { read: 'city IN [$claims.a, $claims.b]' } } | Company.read | A claim is not an item of a list: write IN $claims.name. (at position 9 of read)
    { Company: { read: 'logo = $claims.a' } } | Company.read | The comparator = is not for Company.logo of type image: it can only be compared with null (at position 1 of read)
    { '*': { read: 'ID = 1' } } | *.read | ${many}
    { '*': { read: true, where: 'ID = 1' } } | *.where | ${many}
    { '*': { read: true, attributes: { ID: readOnly } } } | *.attributes | ${many}
  `)('%s is told', async (dataclasses, place, message) => {
    expect(await problemsOf(role(parsed(dataclasses)))).toEqual([
      { where: `roles.r.dataclasses.${place}`, message },
    ]);
  });

  test('have no more comparisons than one statement takes', async () => {
    const read = Array.from({ length: 401 }, (_, at) => `ID = ${at}`).join(' or ');
    expect(await problemsOf(role({ Company: { read } }))).toEqual([
      {
        where: 'roles',
        message:
          'all filters of roles and mapping files together may have 400 comparisons; these have 401',
      },
    ]);
  });

  test('name functions that there are', async () => {
    expect(await problemsOf({ r: { dataclasses: {}, execute: ['raise', 'Company.*'] } })).toEqual([
      { where: 'roles.r.execute.0', message: 'there is no function raise.' },
      { where: 'roles.r.execute.1', message: 'there is no function Company.*.' },
    ]);
  });

  test.each([
    [{ admin: { dataclasses: {} } }, 'is built in'],
    [{ 'a b': { dataclasses: {} } }, 'is not a name of a role'],
    [{ r: {} }, 'expected record'],
    [role({ Company: { read: 'yes', hidden: [] } }), 'hidden'],
    [role({ Company: { read: true, attributes: { name: 'secret' } } }), 'readOnly'],
  ])('%j is not a setting', (roles, message) => {
    const result = rolesSetting.safeParse(roles);
    expect(result.success).toBe(false);
    expect(result.error?.message).toContain(message);
  });
});
