import type { Column } from '../schema/types.ts';
import type { Dataclass } from './types.ts';

/** The columns without a value of which the database takes no new row, and which nothing sets: neither the database nor the gateway nor an attribute. */
export function unsetColumns(dataclass: Dataclass): Column[] {
  const { table, key, stamp, timestamp, members, stored } = dataclass;
  // Triggers may.
  if (table.beforeInsert === true || table.instead?.includes('insert') === true) return [];
  const own = new Set([...key, ...stored.values()].map(({ column }) => column.name));
  if (stamp.kind === 'counter') own.add(stamp.column.name);
  if (timestamp !== null) own.add(timestamp.name);
  for (const member of members.values()) {
    if (member.kind === 'relatedEntity') for (const { name } of member.hops[0].from) own.add(name);
  }
  return table.columns.filter(
    ({ name, nullable, hasDefault, identity, computed }) =>
      !(nullable || hasDefault || identity || computed || own.has(name)),
  );
}
