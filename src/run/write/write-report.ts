import { setImmediate } from 'node:timers/promises';
import { ProtocolError } from '../../base/errors.ts';
import type {
  EntityWritten,
  ToldPart,
  ToldValue,
  ValueChange,
  WriteObserver,
  WriteRefused,
} from '../../base/observe/writes.ts';
import type { Principal } from '../../base/principal.ts';
import { type Dataclass, isStored, type Member } from '../../model/types.ts';
import type { Column } from '../../schema/types.ts';
import { keyText, keyValues } from '../body/entity-key.ts';
import { isBytes, type StoredValue } from '../convert/stored-value.ts';
import type { EntityValues } from '../convert/entity-values.ts';
import type { KeyTexts } from '../convert/types.ts';
import { deletedRow, type Element, type ReportedElement, type Written } from './outcome.ts';

/** How many entities are reported before others have their turn. */
const REPORTED_AT_ONCE = 1000;

/** The request that is reported. */
export interface ReportContext {
  readonly kind: 'save' | 'delete';
  readonly dataclass: Dataclass;
  readonly unique: string | null;
}

/** An element of a request as it was read: the columns that it gives values, or, where it could not be read so far, names. */
type ReadElement = Pick<Element, 'key'> & {
  readonly given?: Pick<EntityValues, 'shape'>;
  readonly nested?: readonly { readonly relation?: { readonly name: string } }[];
  readonly names?: ReadonlySet<string>;
  readonly isNew?: boolean;
};

/** Reports to the audit log what becomes of the entities of one request. */
export class WriteReport {
  readonly #observer: WriteObserver;
  readonly #principal: Principal;
  readonly #context: ReportContext;
  readonly #members: readonly MemberColumns[];
  readonly #wanted: readonly MemberColumns[];

  constructor(observer: WriteObserver, principal: Principal, context: ReportContext) {
    this.#observer = observer;
    this.#principal = principal;
    this.#context = context;
    const { dataclass } = context;
    this.#members = writableMembers(dataclass);
    this.#wanted = this.#members.filter(({ member }) =>
      observer.wantsValues(dataclass.name, member.name),
    );
  }

  /** The columns of rows to be deleted whose values are wanted. */
  get wantedColumns(): readonly Column[] {
    const names = new Set(this.#wanted.flatMap(({ columns }) => columns));
    return this.#context.dataclass.table.columns.filter(({ name }) => names.has(name));
  }

  /** Reports those elements of a committed transaction that were written. */
  committed(elements: readonly ReportedElement[]): void {
    const written = elements.flatMap(({ key, written: one }) =>
      one === undefined ? [] : [this.#entity(key, one)],
    );
    if (written.length > 0) this.#observer.entitiesWritten(this.#principal, written);
    const all = elements.flatMap(({ below = [] }) => below);
    for (const { report, deleted, elements: within } of all) {
      report?.committed(deleted);
      report?.committed(within);
    }
  }

  /** A report on nested entities, which are of another dataclass. */
  below(dataclass: Dataclass): WriteReport {
    const context = { kind: 'save', dataclass, unique: null } as const;
    return new WriteReport(this.#observer, this.#principal, context);
  }

  /** Reports deleted entities of which only the keys are known, in several turns of the event loop; null for an unknown key. */
  async deleted(keys: Iterable<KeyTexts | null>): Promise<void> {
    const written = deletedRow(null);
    let some: ReportedElement[] = [];
    for (const key of keys) {
      some.push({ index: 0, key, written });
      if (some.length < REPORTED_AT_ONCE) continue;
      this.committed(some);
      some = [];
      await setImmediate();
    }
    this.committed(some);
  }

  /** Reports those elements that were not written. @param read the same elements as they were read */
  refused(elements: readonly ReportedElement[], read: readonly ReadElement[]): void {
    this.#refuse(
      elements.flatMap(({ key, failure }, at) =>
        failure == null ? [] : [this.#refusal(key, read[at], failure.error)],
      ),
    );
  }

  /** Reports all elements of a transaction whose outcome is not known. */
  unknown(error: ProtocolError, read: readonly ReadElement[]): void {
    this.#refuse(read.map((entity) => this.#refusal(entity.key, entity, error)));
  }

  #refuse(refused: readonly WriteRefused[]): void {
    if (refused.length > 0) this.#observer.entitiesRefused(this.#principal, refused);
  }

  #entity(key: KeyTexts | null, written: Written): EntityWritten {
    const values = new Map<string, ValueChange>();
    for (const wanted of this.#wanted) {
      const isMeant =
        written.action === 'delete' || wanted.columns.some((name) => written.changed.has(name));
      const change = isMeant ? valueChange(wanted, written) : null;
      if (change !== null) values.set(wanted.member.name, change);
    }
    return {
      action: written.action,
      dataclass: this.#context.dataclass.name,
      key: this.#keyText(key),
      attributes: changedNames(this.#members, written.changed),
      values,
    };
  }

  #refusal(
    key: KeyTexts | null,
    read: ReadElement | undefined,
    error: ProtocolError,
  ): WriteRefused {
    const { kind, dataclass, unique } = this.#context;
    const given = (read?.given?.shape.slots ?? []).map(({ column }) => column.name);
    const hasNames = kind === 'save' && read?.names !== undefined;
    // The value of a unique attribute that the URL addresses an entity by is not its key.
    const isAddress = unique !== null && key !== null && key === read?.key;
    return {
      action: kind === 'delete' ? 'delete' : savingAction(read),
      dataclass: dataclass.name,
      key: this.#keyText(isAddress ? null : key),
      attributes: hasNames
        ? [...membersNamed(this.#members, read.names), ...listsNamed(dataclass, read.names)]
        : [
            ...changedNames(this.#members, new Set(given)),
            ...(read?.nested ?? []).flatMap(({ relation }) => relation?.name ?? []),
          ],
      error,
    };
  }

  #keyText(key: KeyTexts | null): string | null {
    if (key === null || this.#context.dataclass.key.length === 0) return null;
    return keyText(keyValues(this.#context.dataclass, key));
  }
}

function listsNamed({ members }: Dataclass, names: ReadonlySet<string>): string[] {
  return [...names].filter((name) => members.get(name)?.kind === 'relatedEntities');
}

/** The change by the save of an element; `save` where it is not known which. */
function savingAction(read: ReadElement | undefined): WriteRefused['action'] {
  if (read?.key != null) return 'update';
  return read?.given === undefined && read?.isNew !== true ? 'save' : 'create';
}

/** A member of a dataclass with the names of the columns of its own table that it stands on. */
export interface MemberColumns {
  readonly member: Member;
  readonly columns: readonly string[];
}

/** The members that saves can give values. */
export function writableMembers({ members }: Pick<Dataclass, 'members'>): readonly MemberColumns[] {
  return [...members.values()].flatMap((member): MemberColumns[] => {
    if (member.kind === 'storage') return [{ member, columns: [member.column.name] }];
    const columns = member.kind === 'relatedEntity' ? member.hops[0].from : [];
    return columns.length === 0 ? [] : [{ member, columns: columns.map(({ name }) => name) }];
  });
}

function changedNames(members: readonly MemberColumns[], changed: ReadonlySet<string>): string[] {
  return members
    .filter(({ columns }) => columns.some((name) => changed.has(name)))
    .map(({ member }) => member.name);
}

/** The names of the members that share columns with the members of some names. */
export function membersNamed(
  members: readonly MemberColumns[],
  names: ReadonlySet<string>,
): string[] {
  const columns = members
    .filter(({ member }) => names.has(member.name))
    .flatMap((one) => one.columns);
  return changedNames(members, new Set(columns));
}

/** The value of a member before and after a write; null where neither is known. */
export function valueChange(
  { member, columns }: MemberColumns,
  { action, given, before }: Written,
): ValueChange | null {
  const values = new Map(given.map(({ column, value }) => [column.name, value]));
  if (action !== 'delete' && !columns.every((name) => values.has(name))) return null;
  const held = before === null ? [] : columns.map((name) => heldValue(member, before(name)));
  const known = held.filter((value) => value !== undefined);
  const change = {
    ...(known.length === columns.length ? { before: single(known) } : {}),
    ...(action === 'delete'
      ? {}
      : { after: single(columns.map((name) => toldPart(values.get(name) ?? null))) }),
  };
  return 'before' in change || 'after' in change ? change : null;
}

/** The value that a column had; undefined for the bytes of images and BLOBs, which are not read before they are changed. */
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
