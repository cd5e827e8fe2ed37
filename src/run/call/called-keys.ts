import { ProtocolError } from '../../base/errors.ts';
import { withoutPadding } from '../../base/padding.ts';
import { KeyListBuilder } from '../../state/entity-set/builder.ts';
import type { KeyList } from '../../state/entity-set/keys.ts';
import type { Room } from '../../state/entity-set/store.ts';
import type { Dataclass } from '../../model/types.ts';
import { isPadded } from '../../schema/padded.ts';
import { findNamed, type ColumnType } from '../../schema/types.ts';
import type { Dialect, Reader } from '../../sql/dialect.ts';
import { ConversionError } from '../convert/conversion-error.ts';
import { canonicalText } from '../convert/convert.ts';
import type { CalledRows } from './called-rows.ts';
import { keyKindOf } from '../sets/set-keys.ts';

/**
 * The keys that stand in the rows of a routine, in their order, each once. A row without a whole key is no entity's.
 * @param names the columns that they stand in, in key order
 * @param most how many rows count
 * @throws ProtocolError badFunctionResult where there is no such column, and what the room throws
 */
export function calledKeys(
  { columns, rows }: CalledRows,
  names: readonly string[],
  dataclass: Dataclass,
  most: number,
  { dialect, room, fullName }: KeyContext,
): KeyList {
  const parts = dataclass.key.map(({ columnType }, part) => {
    const name = names[part] ?? '';
    const column = findNamed(columns, name, (one) => one.name, true);
    if (column === undefined) {
      throw new ProtocolError(
        'badFunctionResult',
        `${fullName} answered no column ${name}, which the key of ${dataclass.name} needs.`,
      );
    }
    const reader: Reader =
      columnType.kind === 'hex' ? dialect.resultReader(columnType) : column.reader;
    return { index: columns.indexOf(column), reader, type: columnType };
  });
  const builder = new KeyListBuilder(keyKindOf(dataclass), room);
  const seen = new Set<string>();
  for (const row of rows.slice(0, most)) {
    const key = parts.map(({ index, reader, type }) => {
      const value = row[index];
      return value === null || value === undefined
        ? null
        : keyPart(reader.text(value), type, dialect);
    });
    const whole = key.filter((part) => part !== null);
    const text = JSON.stringify(whole);
    if (whole.length < key.length || seen.has(text)) continue;
    seen.add(text);
    builder.add(whole);
  }
  return builder.finish();
}

/** What keys are read with. */
interface KeyContext {
  readonly dialect: Dialect;
  readonly room: Room;
  readonly fullName: string;
}

/** A part of a key as sets keep it; null for what its column cannot hold. */
function keyPart(text: string, type: ColumnType, { limits }: Dialect): string | null {
  try {
    const canonical = canonicalText(text, type, limits);
    return isPadded(type) ? withoutPadding(canonical) : canonical;
  } catch (error) {
    if (error instanceof ConversionError) return null;
    throw error;
  }
}
