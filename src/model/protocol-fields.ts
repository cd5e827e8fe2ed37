import { ProtocolError, type TextPosition } from '../base/errors.ts';
import { ROW_VERSION } from '../schema/type-rules.ts';
import type { Column, ColumnType } from '../schema/types.ts';
import { noSuchAttribute } from './lookup.ts';
import type { Dataclass, Member, StorageAttribute } from './types.ts';

/**
 * Finds a member of a dataclass, or the column behind a protocol field (`__KEY`, `__STAMP`, `__TIMESTAMP`, `__GlobalStamp`), by which clients
 * filter and sort as by an attribute. The column is compared as it stands there, so that its index serves.
 * @throws ProtocolError noSuchAttribute; notApplicable for a field that the dataclass does not hold in one column
 */
export function findMember(dataclass: Dataclass, name: string, at: TextPosition): Member {
  const member = dataclass.members.get(name);
  if (member !== undefined) return member;
  switch (name) {
    case '__KEY':
      return keyField(dataclass, at);
    case '__STAMP':
      return stampField(dataclass, at);
    case '__GlobalStamp':
      return globalStampField(dataclass, at);
    case '__TIMESTAMP':
      return timestampField(dataclass, at);
    default:
      throw noSuchAttribute(dataclass, name, at);
  }
}

function keyField({ name, key }: Dataclass, at: TextPosition): StorageAttribute {
  const [only, ...more] = key;
  if (only === undefined) throw notComparable(`${name} has no key.`, at);
  if (more.length === 0) return only;
  const parts = key.map((part) => part.name).join(' and ');
  throw notComparable(`The __KEY of ${name} has several parts: name ${parts} instead.`, at);
}

function stampField({ name, stamp }: Dataclass, at: TextPosition): StorageAttribute {
  switch (stamp.kind) {
    case 'counter':
      return field('__STAMP', stamp.column);
    case 'rowversion':
      return field('__STAMP', stamp.column, ROW_VERSION);
    case 'xmin':
      throw notComparable(`The __STAMP of ${name} is xmin, which no index can serve.`, at);
    case 'hash':
      throw notComparable(
        `The __STAMP of ${name} is a hash that the gateway makes of each entity: the database cannot compare it.`,
        at,
      );
    case 'none':
      throw notComparable(`${name} has no stamp: its __STAMP is the same for all entities.`, at);
  }
}

function globalStampField({ name, stamp }: Dataclass, at: TextPosition): StorageAttribute {
  if (stamp.kind === 'rowversion') return field('__GlobalStamp', stamp.column, ROW_VERSION);
  throw notComparable(
    `${name} does not keep the __GlobalStamp of its entities: only a rowversion column of SQL Server does.`,
    at,
  );
}

function timestampField(
  { name, timestamp, isTimestampSeen }: Dataclass,
  at: TextPosition,
): StorageAttribute {
  if (timestamp !== null && isTimestampSeen) return field('__TIMESTAMP', timestamp);
  throw notComparable(`${name} has no __TIMESTAMP.`, at);
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

function notComparable(message: string, at: TextPosition): ProtocolError {
  return new ProtocolError('notApplicable', message, at);
}
