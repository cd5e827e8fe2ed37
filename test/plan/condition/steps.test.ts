import { describe, expect, test } from 'vitest';
import { compareExactly } from '../../../src/plan/condition/comparison.ts';
import { planEntitySet } from '../../../src/plan/read/entity-set.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import { planSave } from '../../../src/plan/write/save.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type { Operand } from '../../../src/sql/ir/ir.ts';
import {
  planning,
  readSnapshot,
  sampleModel,
  sampleSettings,
} from '../../fixtures/legacy/model.ts';
import { complaint } from '../../protocol/complaint.ts';

function typeNamed(name: string, precision = 0, scale = 0): ColumnType {
  return readType({ name, bytes: 8, precision, scale, collation: null });
}

const whole = typeNamed('decimal', 38, 0);

describe('comparisons', () => {
  const left: Operand = { kind: 'column', alias: 't', name: 'c', type: whole, nullable: true };

  /** A comparison as text, with `down` and `up` for its parameters. */
  function written(operator: '=' | '<>' | '<' | '<=' | '>' | '>=', type: ColumnType): string {
    const rounds: string[] = [];
    const condition = compareExactly(left, operator, type, (round) => {
      rounds.push(round ?? 'as it is');
      return { kind: 'true' };
    });
    const items =
      condition.kind === 'and' || condition.kind === 'or' ? condition.items : [condition];
    const parts = items.map((item, index) =>
      item.kind === 'compare' ? `${item.operator} ${rounds[index] ?? ''}` : item.kind,
    );
    return parts.join(` ${condition.kind} `);
  }

  test('round to the side that keeps them true', () => {
    expect(
      (['<', '<=', '>', '>=', '=', '<>'] as const).map((each) => written(each, whole)),
    ).toEqual(['< up', '<= down', '> down', '>= up', '= down and >= up', '< up or > down']);
  });

  test('take the value as it is where nothing is rounded', () => {
    expect(written('=', typeNamed('int'))).toBe('= as it is');
  });
});

const model = await sampleModel(readSnapshot('postgres'));

/** What a request comes to where paths may go over so many relations: its kind. */
function planned(url: string, maxExpandDepth: number): string {
  const limits = { ...sampleSettings.limits, maxExpandDepth };
  const context = planning(model, undefined, { limits });
  const { ast } = parseRequest(url, url.includes('atomic') ? 'POST' : 'GET');
  if (ast.kind === 'read') planRead(ast, context);
  else if (ast.kind === 'entitySet') planEntitySet(ast, context);
  else if (ast.kind === 'save') planSave(ast, context);
  else throw new Error(`${url} is ${ast.kind}`);
  return ast.kind;
}

describe('a path goes over as many relations as configured', () => {
  const methods = ['', '$method=entityset&', '$atomic=true&'];

  test.each([
    ['$attributes', 'employer.country.name', ''],
    ['$attributes', 'employer.country', '.*'],
    ['$attributes', 'employer.country', ''],
    ['$attributes', 'projects.staff.lastName', ''],
    ['$expand', 'employer.country', ''],
    ['$filter', 'employer.country.name', '=1'],
    ['$filter', 'projects.staff.lastName', '=a'],
    ['$filter', 'employer.country', '=null'],
    ['$orderby', 'employer.country.name', ''],
  ])('in %s: %s%s', (within, path, behind) => {
    for (const method of methods) {
      const url = `/rest/Employee?${method}${within}=${path}${behind}`;
      expect(planned(url, 2)).toBeTypeOf('string');
      expect(complaint(() => planned(url, 1))).toEqual([
        'notApplicable',
        `${path} goes over more than 1 relation (at position 1 of ${within})`,
      ]);
    }
  });

  test('in the $expand of a bare array, too', () => {
    const url = '/rest/Employee?$asArray=true&$expand=employer.country.name';
    expect(planned(url, 2)).toBe('read');
    expect(complaint(() => planned(url, 1))).toEqual([
      'notApplicable',
      'employer.country.name goes over more than 1 relation (at position 1 of $expand)',
    ]);
  });

  test('in the path of the URL, too', () => {
    expect(planned('/rest/Employee(1)/employer/country', 2)).toBe('read');
    expect(complaint(() => planned('/rest/Employee(1)/employer/country', 1))).toEqual([
      'notApplicable',
      'employer.country goes over more than 1 relation (at position 1 of the path)',
    ]);
  });

  test('the properties of an object are not relations', () => {
    expect(planned('/rest/Employee?$filter=extra.a.b.c=1&$orderby=extra.a.b', 1)).toBe('read');
  });
});
