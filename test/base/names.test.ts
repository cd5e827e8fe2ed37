import { describe, expect, test } from 'vitest';
import { nameHint, nearestNames } from '../../src/base/names.ts';

describe('nearestNames', () => {
  test.each([
    ['lastNam', ['lastName']],
    ['LASTNAME', ['lastName']],
    ['name', ['lastName', 'firstName']],
    ['zzz', []],
  ])('%s resembles %j', (unknown, expected) => {
    expect(nearestNames(unknown, ['firstName', 'lastName', 'salary'])).toEqual(expected);
  });
});

test.each([
  ['foo', ['ID', 'two']],
  ['xx', ['ID']],
  ['x', ['y']],
  ['identity', ['ID']],
  ['abc', ['xyc']],
  ['$foo', ['$top', '$skip', '$filter']],
  ['eval', ['email']],
  ['host', ['HostNameInCertificate', 'Host Name In Certificate']],
])('%s is not near to any of %j', (unknown, known) => {
  expect(nearestNames(unknown, known)).toEqual([]);
});

test.each([
  ['lastNam', 'lastName'],
  ['fristName', 'firstName'],
  ['employr', 'employer'],
  ['$filer', '$filter'],
  ['$sikp', '$skip'],
  ['$to', '$top'],
  ['emial', 'email'],
  ['nmae', 'name'],
  ['cod', 'code'],
  ['mangr', 'manager'],
  ['name', 'manufacturerName'],
])('%s is near to %s', (unknown, known) => {
  expect(nearestNames(unknown, [known])).toEqual([known]);
});

describe('nameHint', () => {
  test('names the nearest', () => {
    expect(nameHint('salery', ['firstName', 'salary'])).toBe(' Did you mean salary?');
  });

  test('lists the few that are known where nothing resembles', () => {
    expect(nameHint('zzz', ['firstName', 'salary'])).toBe(' Known: firstName, salary.');
  });

  test('says nothing where many are known and none resembles', () => {
    const many = Array.from({ length: 13 }, (_, index) => `column${index}`);
    expect(nameHint('zzz', many)).toBe('');
  });
});
