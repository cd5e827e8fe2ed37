import { expect } from 'vitest';
import { bareArray, rowsOf } from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';

/** Exports that are longer than a page, and than what is read at once. */
export const sequences: readonly SequenceCase[] = [
  sequence('§2.7 $format=csv and ndjson hold all that is selected', async (rest) => {
    const lines = async (url: string, end: string): Promise<string[]> => {
      const { text } = await rest.send({ method: 'GET', url, type: null });
      return text.split(end).slice(0, -1);
    };
    const ids = rowsOf('Employee').map(({ EMP_NO }) => String(EMP_NO));
    expect(await lines('Employee?$attributes=ID&$format=csv', '\r\n')).toEqual(['ID', ...ids]);
    const many = await lines('OrderLine?$attributes=orderNo,line&$format=csv', '\r\n');
    const count = rowsOf('OrderLine').length + 1;
    expect([many.length, new Set(many).size]).toEqual([count, count]);
    expect(await lines('LogEntry?$attributes=severity&$format=csv', '\r\n')).toHaveLength(
      rowsOf('LogEntry').length + 1,
    );
    const attributes = 'lastName,employer.name,projects.name';
    const found = await lines(`Employee?$attributes=${attributes}&$format=ndjson`, '\n');
    expect(found.map((line): unknown => JSON.parse(line))).toEqual(
      bareArray('Employee', rowsOf('Employee'), { attributes, top: ids.length }),
    );
  }),
];
