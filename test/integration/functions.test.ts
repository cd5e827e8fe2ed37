import { expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { reportShape } from './shapes/routines.ts';

onEngines('the rows of a procedure', reportShape, (served) => {
  test('have all digits of their values, whatever their types', async () => {
    const answer = await served.gateway.get('/rest/$catalog/report', {
      method: 'POST',
      body: '[7]',
    });
    const text = 'é'.repeat(70_000);
    expect(answer.text).toBe(
      '{"result":{"returnValue":7,"output":{},"resultSets":[[{"long":123456789012345678901234567890.12345678,"short":-2.50,' +
        '"money":922337203685477.5807,"big":9223372036854775807,"yes":true,"at":"2024-02-29T12:00:00.123456Z","day":"2024-02-29",' +
        `"bytes":"Chs=","guid":"abcdef00-0000-0000-0000-000000000001","text":"${text}","nothing":null}],[{"a":"x","a_2":"y"}]]}}`,
    );
  });

  test('may be so many, and no more', async () => {
    const [status, body] = await served.post('$catalog/many', [100_000]);
    const { result } = body as { result: { resultSets: readonly [readonly object[]] } };
    expect([status, result.resultSets[0].length]).toEqual([200, 100_000]);
    expect(await served.post('$catalog/many', [100_001])).toMatchObject([
      400,
      { __ERROR: [{ errCode: 9012 }] },
    ]);
  });
});
