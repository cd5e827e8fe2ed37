import { ProtocolError, type TextPosition } from '../base/errors.ts';
import { ROW_VERSION } from '../schema/type-rules.ts';
import type { Column, ColumnType } from '../schema/types.ts';
import { noSuchAttribute } from './lookup.ts';
import type { Dataclass, Member, Stamp, StorageAttribute } from './types.ts';

/**
 * Finds a member of a dataclass, or the column of a protocol field (`__KEY`, `__STAMP`, `__TIMESTAMP`, `__GlobalStamp`), by which clients
 * filter and sort as by an attribute. The column is compared as it is stored, so that its index serves.
 * @throws ProtocolError noSuchAttribute; notApplicable for a field that the dataclass does not hold in one column
 */
export function findMember(dataclass: Dataclass, name: string, at: TextPosition): Member {
  const member = dataclass.members.get(name);
  if (member !== undefined) return member;
  const found = protocolField(dataclass, name);
  if (found === undefined) throw noSuchAttribute(dataclass, name, at);
  if (typeof found === 'string') throw new ProtocolError('notApplicable', found, at);
  return found;
}

/** A protocol field as an attribute, or why it cannot be compared; undefined for any other name. */
function protocolField(
  { name, key, stamp, timestamp, isTimestampSeen }: Dataclass,
  wanted: string,
): StorageAttribute | string | undefined {
  switch (wanted) {
    case '__KEY': {
      const [only, ...more] = key;
      if (only === undefined) return `${name} has no key.`;
      const parts = key.map((part) => part.name).join(' and ');
      return more.length === 0
        ? only
        : `The __KEY of ${name} has several parts: name ${parts} instead.`;
    }
    case '__STAMP':
      return stampField(name, stamp);
    case '__GlobalStamp':
      return stamp.kind === 'rowversion'
        ? field('__GlobalStamp', stamp.column, ROW_VERSION)
        : `${name} does not keep the __GlobalStamp of its entities: only a rowversion column of SQL Server does.`;
    case '__TIMESTAMP':
      return timestamp !== null && isTimestampSeen
        ? field('__TIMESTAMP', timestamp)
        : `${name} has no __TIMESTAMP.`;
    default:
      return undefined;
  }
}

function stampField(name: string, stamp: Stamp): StorageAttribute | string {
  switch (stamp.kind) {
    case 'counter':
      return field('__STAMP', stamp.column);
    case 'rowversion':
      return field('__STAMP', stamp.column, ROW_VERSION);
    case 'xmin':
      return `The __STAMP of ${name} is xmin, which no index can serve.`;
    case 'hash':
      return `The __STAMP of ${name} is a hash that the gateway makes of each entity: the database cannot compare it.`;
    case 'none':
      return `${name} has no stamp: its __STAMP is the same for all entities.`;
  }
}

function field(
  name: string,
  column: Column,
  columnType: ColumnType = column.type,
): StorageAttribute {
  return {
    kind: 'storage',
    name,
    column,
    columnType,
    type: name === '__TIMESTAMP' ? 'date' : 'long64',
    trim: false,
    ignoreCase: false,
    simpleDate: false,
    unique: false,
    indexed: false,
    readOnly: true,
  };
}
