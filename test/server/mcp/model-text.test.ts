import { expect, test } from 'vitest';
import { describedIn } from '../../../src/server/mcp/model-text.ts';
import { model, table } from '../../model/physical.ts';

test('attributes are described with the values that an enum or a check allows', async () => {
  const order = table('ORDERS', {
    columns: { ID: 'int', STATE: 'text?', GRADE: 'int', MOOD: 'calm?', NOTE: 'text' },
    primaryKey: ['ID'],
    checks: [
      { name: 'CK_STATE', columns: ['STATE'], values: ['new', 'done'] },
      { name: 'CK_GRADE', columns: ['GRADE'], values: ['1', '2'] },
    ],
  });
  const line = table('LINES', {
    columns: { ID: 'int', ORDER_ID: 'int' },
    primaryKey: ['ID'],
    foreignKeys: [
      { name: 'FK', columns: ['ORDER_ID'], targetTable: 'ORDERS', targetColumns: ['ID'] },
    ],
  });
  const built = await model([order, line], {
    order: 'dataclass: Order\ntable: S.ORDERS\n',
    line: `dataclass: Line
table: S.LINES
attributes: { id: ID, state: order.state }
relations: { order: { to: Order, foreignKey: FK } }
`,
  });
  const [told, ofLine] = describedIn(built, ['Order', 'Line'], []) as {
    readonly attributes: readonly object[];
  }[];
  expect(told?.attributes.slice(1)).toEqual([
    { name: 'state', type: 'string', values: ['new', 'done'], nullable: true },
    { name: 'grade', type: 'long', values: [1, 2] },
    { name: 'mood', type: 'string', values: ['calm', 'cross'], nullable: true },
    { name: 'note', type: 'string', maxLength: 40 },
  ]);
  expect(ofLine?.attributes).toContainEqual(
    expect.objectContaining({ name: 'state', path: 'order.state', values: ['new', 'done'] }),
  );
});
