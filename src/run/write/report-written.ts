import { isStored, type Dataclass, type Member } from '../../model/types.ts';
import type { ToldPart, ToldValue, ValueChange, WriteAction } from '../../base/observe/writes.ts';
import type { ColumnValue } from '../body/changes.ts';
import { isBytes, type StoredValue } from '../convert/stored-value.ts';

/** What became of the row of an entity that was written, for whoever hears of writes. */
export interface Written {
  readonly action: WriteAction;
  /** What the row was given, changed or not; nothing where it was deleted. */
  readonly given: readonly ColumnValue[];
  /** The names of the columns that hold something else now. */
  readonly changed: ReadonlySet<string>;
  /** What columns that were read held, by their names; null for a new row. */
  readonly before: ((column: string) => string | null) | null;
}

/** What of an element is told when it is committed; left out where nobody hears of it. */
export interface Reported {
  readonly written?: Written;
}

/** What is told of a row that an attempt has written; where nobody hears of it, it is not worked out. */
export function reported(
  { report }: { readonly report: object | null },
  written: () => Written,
): Reported {
  return report === null ? {} : { written: written() };
}

/** A row that is gone. @param before what columns that were read held; null where none were */
export function deletedRow(before: Written['before']): Written {
  return { action: 'delete', given: [], changed: new Set(), before };
}

/** A member of a dataclass with the columns of its own table that it is made of, by their names; a composite relation has several. */
export interface MemberColumns {
  readonly member: Member;
  readonly columns: readonly string[];
}

/** The members that saves can give values. */
export function writableMembers({ members }: Pick<Dataclass, 'members'>): readonly MemberColumns[] {
  return [...members.values()].flatMap((member): MemberColumns[] => {
    if (member.kind === 'storage') return [{ member, columns: [member.column.name] }];
    const columns = member.kind === 'relatedEntity' ? (member.hops[0]?.from ?? []) : [];
    return columns.length === 0 ? [] : [{ member, columns: columns.map(({ name }) => name) }];
  });
}

/** The names of the members that changed with columns. */
export function changedNames(
  members: readonly MemberColumns[],
  changed: ReadonlySet<string>,
): string[] {
  return members
    .filter(({ columns }) => columns.some((name) => changed.has(name)))
    .map(({ member }) => member.name);
}

/** The names of the members that are given values under some names, also by others that share their columns. */
export function saidNames(members: readonly MemberColumns[], said: ReadonlySet<string>): string[] {
  const columns = members
    .filter(({ member }) => said.has(member.name))
    .flatMap((one) => one.columns);
  return changedNames(members, new Set(columns));
}

/** What a member held and holds; null where nothing of it is known. */
export function valueChange(
  { member, columns }: MemberColumns,
  { action, given, before }: Written,
): ValueChange | null {
  const values = new Map(given.map(({ column, value }) => [column.name, value]));
  const isKnown = (name: string): boolean => action === 'delete' || values.has(name);
  if (!columns.every(isKnown)) return null;
  const held = before === null ? [] : columns.map((name) => heldValue(member, before(name)));
  const told = held.filter((value) => value !== undefined);
  const change = {
    ...(told.length === columns.length ? { before: single(told) } : {}),
    ...(action === 'delete'
      ? {}
      : { after: single(columns.map((name) => toldPart(values.get(name) ?? null))) }),
  };
  return 'before' in change || 'after' in change ? change : null;
}

/** The bytes of images and BLOBs are not read before they are changed: of those it is known whether there were any, and not how many. */
function heldValue(member: Member, text: string | null): ToldPart | undefined {
  const isBinary = isStored(member) && member.columnType.kind === 'binary';
  return isBinary && text !== null ? undefined : text;
}

function toldPart(value: StoredValue): ToldPart {
  return isBytes(value) ? { bytes: value.byteLength } : value;
}

function single(parts: readonly ToldPart[]): ToldValue {
  const [only = null, ...more] = parts;
  return more.length === 0 ? only : parts;
}
