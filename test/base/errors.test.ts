import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allOf, catching, errorTable, ProtocolError, StartupError } from '../../src/base/errors.ts';

const TABLE = 'src/base/errors.ts';

test('only errors of the class are handled', () => {
  const failing = (error: Error) => (): never => {
    throw error;
  };
  const handle = ({ message }: RangeError): string => message;
  expect(catching(RangeError, failing(new RangeError('far')), handle)).toBe('far');
  expect(() => catching(RangeError, failing(new TypeError('other')), handle)).toThrow('other');
});

describe('the error table', () => {
  test('has each code once for each status', () => {
    const codes = Object.values(errorTable).map(({ code, status }) => `${code} ${status}`);
    expect(codes).toEqual([...new Set(codes)]);
  });

  test('has no entry that nothing says', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `src/${name.replaceAll('\\', '/')}`)
      .filter((name) => name !== TABLE)
      .map((name) => readFileSync(name, 'utf8'))
      .join('\n');
    const unused = Object.keys(errorTable).filter(
      (name) => !sources.includes(`'${name}'`) && !sources.includes(`${name}(`),
    );
    expect(unused).toEqual([]);
  });

  test('names stages that exist', () => {
    const folders = readdirSync('src', { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const stages = new Set(Object.values(errorTable).map(({ stage }) => stage));
    expect([...stages].filter((stage) => !folders.includes(stage))).toEqual([]);
  });
});

test('an error tells what came of it, in order, under its own status, and keeps its cause to itself', () => {
  const cause = new Error('relation "x" does not exist');
  const error = new ProtocolError('duplicateKey', 'There is one.', undefined, cause).leadingTo(
    { errorName: 'newEntityNotSaved', message: 'Not saved.' },
    { errorName: 'notSaved', message: 'Nothing was.' },
  );
  expect([error.status, error.toItems()]).toEqual([
    409,
    [
      { message: 'There is one.', componentSignature: 'dbmg', errCode: 1115 },
      { message: 'Not saved.', componentSignature: 'dbmg', errCode: 1534 },
      { message: 'Nothing was.', componentSignature: 'dbmg', errCode: 1046 },
    ],
  ]);
});

describe('a start that fails', () => {
  const problem = (message: string): { where: string; message: string } => ({
    where: 'a:1:1',
    message,
  });

  test('tells of 20 problems and how many there are', () => {
    const problems = Array.from({ length: 1254 }, (_, index) => problem(`${index}`));
    const lines = new StartupError(problems).message.split('\n');
    expect([lines.length, lines[0], lines[19], lines[20]]).toEqual([
      21,
      'a:1:1: 0',
      'a:1:1: 19',
      'and 1,234 more',
    ]);
    expect(new StartupError(problems.slice(0, 20)).message.split('\n')).toEqual(lines.slice(0, 20));
    expect(new StartupError([problem('x')], 1).message).toBe('a:1:1: x\nand 1 more');
  });

  test('tells the problems of all work, each once', async () => {
    const failing = (text: string, more: number): Promise<never> =>
      Promise.reject(new StartupError([problem(text)], more));
    const first = failing('x', 1);
    await expect(
      allOf([first, first.then(() => 1), Promise.resolve(2), failing('y', 2)]),
    ).rejects.toMatchObject({ problems: [problem('x'), problem('y')], more: 3 });
    const bug = new Error('a bug');
    await expect(allOf([failing('x', 0), Promise.reject(bug)])).rejects.toBe(bug);
    expect(await allOf([Promise.resolve(1), Promise.resolve('two')])).toEqual([1, 'two']);
  });

  test('gives no commands to a terminal', () => {
    const { message } = new StartupError([
      { where: 'a\n\u001b[2J.yaml:1:1', message: 'b\u009b\u0007\nc\u2028' },
    ]);
    expect(message).toBe('a\\u000a\\u001b[2J.yaml:1:1: b\\u009b\\u0007\nc\\u2028');
  });

  test('cuts what is long', () => {
    expect(new StartupError([problem('x'.repeat(100_000))]).message).toBe(
      `a:1:1: ${'x'.repeat(2000)}…`,
    );
  });
});

test('an error has a stack where it is logged, and none where it is the client’s to mend', () => {
  const limit = Error.stackTraceLimit;
  expect(new ProtocolError('wrongType', 'x').stack).not.toContain('\n    at ');
  expect(new ProtocolError('refusedByDatabase', 'x').stack).toContain('\n    at ');
  expect(Error.stackTraceLimit).toBe(limit);
});
