import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allEnded, ended, onEveryTarget, serving, post, type Entity } from './writing.ts';
import type { Gateway } from '../targets/gateway.ts';
import {
  FIRST_LINE,
  idOf,
  Lines,
  write,
  type Element,
  type Held,
  type Write,
} from './order-lines.ts';
import { seed } from '../property/seed.ts';

/** An element of a body as it is sent. */
function objectOf(element: Element, stamp: number | undefined): Entity {
  const { order, line, newLine, ...fields } = element.line;
  const __KEY = idOf({ order, line });
  switch (element.kind) {
    case 'create':
      return { orderNo: order, line, ...fields };
    case 'update':
      return { __KEY, __STAMP: stamp, line: newLine, ...fields };
    case 'delete':
      return { __KEY, __STAMP: stamp };
  }
}

/** Which elements were done, as the answer says it. */
async function send(
  gateway: Gateway,
  { elements, atomic }: Write,
  model: Lines,
): Promise<boolean[]> {
  const isDelete = elements[0]?.kind === 'delete';
  const objects = elements.map((element) => objectOf(element, model.stampOf(element)));
  const parameters = [...(isDelete ? ['$method=delete'] : []), ...(atomic ? ['$atomic=true'] : [])];
  const isOne = objects.length === 1 && !isDelete && !atomic;
  const answer = await post(
    gateway,
    `/rest/OrderLine?${parameters.join('&')}`,
    isOne ? objects[0] : objects,
  );
  const all = isOne ? [ended(answer)] : allEnded(answer);
  if (all.length === 0) {
    const { success, codes } = ended(answer);
    expect({ success, isError: answer.status >= 400, isCoded: codes.length > 0 }).toEqual({
      success: false,
      isError: true,
      isCoded: true,
    });
    return elements.map(() => false);
  }
  // Who is not told of a success is told why.
  expect(all.map(({ success, codes }) => success === (codes.length === 0))).toEqual(
    elements.map(() => true),
  );
  return all.map(({ success }) => success);
}

/** The rows as the gateway tells them, in the order of their keys. */
async function readRows(gateway: Gateway): Promise<Held[]> {
  const { body } = await gateway.get(
    `/rest/OrderLine?$filter="line >= ${FIRST_LINE}"&$orderby=orderNo,line`,
  );
  return (body as { __ENTITIES: readonly Entity[] }).__ENTITIES.map((entity) => ({
    order: entity['orderNo'] as number,
    line: entity['line'] as number,
    quantity: entity['quantity'] as number,
    unitPrice: Number(entity['unitPrice']),
    remark: entity['remark'] as string | null,
    product: Number((entity['product'] as { __deferred: { __KEY: string } }).__deferred.__KEY),
    stamp: entity['__STAMP'] as number,
  }));
}

await onEveryTarget('random writes', (target) => {
  const { gateway } = serving(target);

  const numRuns = Number(process.env['WRITE_RUNS'] ?? (target.name === 'SQL Server' ? 5 : 40));

  test(
    'leave the table as a model of it, and say of each what came of it',
    { timeout: 180_000 + numRuns * 2000 },
    async () => {
      const writes = fc.array(write, { minLength: 1, maxLength: 10 });
      await fc.assert(
        fc.asyncProperty(writes, async (sequence) => {
          const cleared = await gateway.get(
            `/rest/OrderLine?$filter="line >= ${FIRST_LINE}"&$method=delete`,
            { method: 'POST' },
          );
          expect(cleared.body).toMatchObject({ ok: true });
          const model = new Lines();
          for (const request of sequence) {
            const told = await send(gateway, request, model);
            expect(told).toEqual(model.write(request));
            const expected = [...model.rows.values()].sort(
              (a, b) => a.order - b.order || a.line - b.line,
            );
            expect(await readRows(gateway)).toEqual(expected);
          }
        }),
        { seed, numRuns },
      );
    },
  );
});
