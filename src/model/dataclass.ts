import type { Column } from '../schema/types.ts';
import { readAttributes } from './attributes.ts';
import type { DataclassDraft } from './draft.ts';
import { readKey } from './key.ts';
import type { ApiFunction } from './functions/function-types.ts';
import type { MappingContext } from './mapping-context.ts';
import { collectionName } from './naming.ts';
import { readWhere } from './restriction.ts';
import { readStamp } from './stamp.ts';
import type { Member, Rights, Stamp } from './types.ts';

/** Where nobody says what clients may do, they may do everything. */
const EVERYTHING: Rights = { create: null, update: null, delete: null };

/**
 * Builds a dataclass without its relations. Where its file is wrong the report says so, and what is right of it is built all
 * the same: other files may refer to it.
 * @param number the dataclass's place among all, from 1 on
 */
export function buildDataclass(
  context: MappingContext,
  name: string,
  number: number,
): DataclassDraft {
  const { mapping, table, settings } = context;
  const attributes = readAttributes(context);
  const stored = new Map(attributes.map(({ attribute }) => [attribute.name, attribute]));
  const key = readKey(context, attributes);
  const requireStamp = mapping.requireStamp ?? settings.requireStamp;
  const readOnly = settings.readOnly || table.readOnly === true || (mapping.readOnly ?? false);
  const stamp = readStamp(context, key, readOnly);
  const timestamp =
    mapping.timestamp === undefined ? null : context.column(mapping.timestamp, ['timestamp']);
  if (timestamp !== null && timestamp.type.kind !== 'timestamp' && timestamp.type.kind !== 'date') {
    context.problem(['timestamp'], `column ${timestamp.name} holds no date`);
  }
  const maintained = maintainedColumns(stamp, timestamp);
  const members = new Map<string, Member>(
    attributes
      .filter(({ exposed }) => exposed)
      .map(({ attribute }) => [
        attribute.name,
        maintained.has(attribute.column.name) ? { ...attribute, readOnly: true } : attribute,
      ]),
  );
  const functions = new Map<string, ApiFunction>();
  return {
    context,
    members,
    functions,
    dataclass: {
      name,
      collection: mapping.collection ?? collectionName(name),
      table,
      number,
      key,
      stamp,
      timestamp,
      isTimestampSeen: true,
      // A stamp that never changes tells nobody of a change: who writes must have been told that none is looked at.
      readOnly: readOnly || (stamp.kind === 'none' && requireStamp),
      requireStamp,
      allowsOverwrite: !requireStamp || (settings.compatibility?.overrideStamp ?? false),
      rights: EVERYTHING,
      where: readWhere(context, name, stored),
      members,
      stored,
      functions,
    },
  };
}

/** The columns that every save of the gateway sets: the stamp's counter and the timestamp. */
function maintainedColumns(stamp: Stamp, timestamp: Column | null): ReadonlySet<string> {
  const counter = stamp.kind === 'counter' ? [stamp.column.name] : [];
  return new Set(timestamp === null ? counter : [...counter, timestamp.name]);
}
