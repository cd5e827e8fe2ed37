import { beforeAll, expect, test } from 'vitest';
import { wantedValues } from '../../../src/server/audit/audit-log.ts';
import { StartupError } from '../../../src/base/errors.ts';
import type { Model } from '../../../src/model/types.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';

let model: Model;
beforeAll(async () => {
  model = await sampleModel(readSnapshot('postgres'));
});

const locate = (setting: string): string => `at ${setting}`;

test('values are told of none, of all, or of those that are named', () => {
  const wants = (values: Parameters<typeof wantedValues>[0]): boolean[] => {
    const isWanted = wantedValues(values, model, locate);
    return [
      isWanted('Employee', 'salary'),
      isWanted('Employee', 'employer'),
      isWanted('Company', 'name'),
    ];
  };
  expect(wants('none')).toEqual([false, false, false]);
  expect(wants('all')).toEqual([true, true, true]);
  expect(wants(['Company.name', 'Employee.employer'])).toEqual([false, true, true]);
});

test('names that nothing has keep the gateway from starting', () => {
  const problems = (values: string[]): unknown => {
    try {
      wantedValues(values, model, locate);
      return null;
    } catch (error) {
      return (error as StartupError).problems;
    }
  };
  expect(problems(['Company.name', 'Employe.lastName', 'Company.nam'])).toEqual([
    {
      where: 'at audit.values.1',
      message: 'there is no dataclass Employe. Did you mean Employee?',
    },
    {
      where: 'at audit.values.2',
      message: 'Company has no attribute or relation nam. Did you mean name?',
    },
  ]);
});
