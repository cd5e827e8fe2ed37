import { describe, expect, test } from 'vitest';
import { rulesSchema, rulesText, withOptions } from '../../../src/cli/init/rules.ts';

const defaults = rulesSchema.parse({});

describe('options', () => {
  test('go before the rules of the file, and leave alone what they do not say', () => {
    const rules = withOptions(
      { ...defaults, strip: ['TBL_'], words: { EMP: 'employee' } },
      { case: 'snake', word: ['DEPT=department'], plural: ['konto=konten'] },
    );
    expect(rules).toEqual({
      ...defaults,
      case: 'snake',
      strip: ['TBL_'],
      words: { EMP: 'employee', DEPT: 'department' },
      plurals: { konto: 'konten' },
    });
    expect(withOptions(rules, { 'no-plurals': true }).plurals).toBe(false);
  });

  test.each([
    [{ case: 'kebab' }, '--case: expected camel, pascal, snake or keep'],
    [{ word: ['EMP'] }, '--word: expected NAME=TEXT, found "EMP"'],
    [{ strip: [''] }, '--strip: is empty'],
  ])('%o is refused', (options, message) => {
    expect(() => withOptions(defaults, options)).toThrow(message);
  });
});

describe('init.yaml', () => {
  test('is written when there is none, and keeps its comments when a rule changes', () => {
    const text = rulesText(defaults, null) ?? '';
    expect(text).toContain('case: camel\n');
    const commented = text.replace('case: camel', 'case: camel # ours');
    const before = { text: commented, rules: defaults };
    expect(rulesText(defaults, before)).toBeNull();
    expect(rulesText({ ...defaults, strip: ['TBL_'] }, before)).toContain(
      'case: camel # ours\nstrip: [ TBL_ ]\n',
    );
  });
});
