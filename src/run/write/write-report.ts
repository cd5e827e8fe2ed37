import { setImmediate } from 'node:timers/promises';
import { ProtocolError } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import type { Dataclass } from '../../model/types.ts';
import type {
  EntityWritten,
  ValueChange,
  WriteObserver,
  WriteRefused,
} from '../../base/observe/writes.ts';
import type { Column } from '../../schema/types.ts';
import type { KeyTexts } from '../body/body-key.ts';
import { keyText, keyValues } from '../body/entity-key.ts';
import type { GivenValue } from '../convert/types.ts';
import type { Element, Failure } from './outcome.ts';
import type { Execution } from '../run.ts';
import {
  changedNames,
  deletedRow,
  saidNames,
  valueChange,
  writableMembers,
  type MemberColumns,
  type Written,
} from './report-written.ts';

/** How many entities are told of before others have their turn. */
const TOLD_AT_ONCE = 1000;

/** What is to be known of the request. */
interface ReportContext {
  readonly kind: 'save' | 'delete';
  readonly dataclass: Dataclass;
  /** The unique attribute that the URL addresses the entity by; null where that is the key. */
  readonly unique: string | null;
}

/** An element of a request as far as it is known what became of it. */
type Told = Element & {
  readonly written?: Written;
  readonly failure?: Failure | null;
  readonly below?: readonly ToldBelow[];
};

/** What was written along with an element, and who tells of it. */
interface ToldBelow {
  readonly report: WriteReport | null;
  readonly deleted: readonly Told[];
  readonly elements: readonly Told[];
}

/** An element of a request as it was read, with what it gives columns, or else, where it could not be read so far, names. */
type Read = Pick<Element, 'key'> & {
  readonly given?: readonly Pick<GivenValue, 'column'>[];
  readonly nested?: readonly { readonly relation?: { readonly name: string } }[];
  readonly said?: ReadonlySet<string>;
};

/** Tells whoever hears of writes what becomes of the entities of one request. */
export class WriteReport {
  readonly #observer: WriteObserver;
  readonly #principal: Principal;
  readonly #context: ReportContext;
  readonly #members: readonly MemberColumns[];
  readonly #wanted: readonly MemberColumns[];

  /** A report on what a request writes; null where nobody hears of it. */
  static of(
    { activity: { observer, principal } }: Pick<Execution, 'activity'>,
    context: ReportContext,
  ): WriteReport | null {
    const { writes } = observer;
    return writes === null ? null : new WriteReport(writes, principal, context);
  }

  private constructor(observer: WriteObserver, principal: Principal, context: ReportContext) {
    this.#observer = observer;
    this.#principal = principal;
    this.#context = context;
    const { dataclass } = context;
    this.#members = writableMembers(dataclass);
    this.#wanted = this.#members.filter(({ member }) =>
      observer.wantsValues(dataclass.name, member.name),
    );
  }

  /** The columns of rows that are to be deleted whose values are wanted. */
  get wantedColumns(): readonly Column[] {
    const names = new Set(this.#wanted.flatMap(({ columns }) => columns));
    return this.#context.dataclass.table.columns.filter(({ name }) => names.has(name));
  }

  /** Elements that were written, or not, in a transaction that is committed. */
  committed(elements: readonly Told[]): void {
    const written = elements.flatMap(({ key, written: one }) =>
      one === undefined ? [] : [this.#entity(key, one)],
    );
    if (written.length > 0) this.#observer.entitiesWritten(this.#principal, written);
    for (const { report, deleted, elements: within } of elements.flatMap(
      ({ below = [] }) => below,
    )) {
      report?.committed(deleted);
      report?.committed(within);
    }
  }

  /** A report on entities of a dataclass that are saved along with those of this one. */
  below(dataclass: Dataclass): WriteReport {
    return new WriteReport(this.#observer, this.#principal, {
      kind: 'save',
      dataclass,
      unique: null,
    });
  }

  /** Entities that were deleted, of which no more than their keys is known; null for one whose key is not. It takes turns with others. */
  async deleted(keys: Iterable<KeyTexts | null>): Promise<void> {
    const written = deletedRow(null);
    let some: Told[] = [];
    for (const key of keys) {
      some.push({ index: 0, key, written });
      if (some.length < TOLD_AT_ONCE) continue;
      this.committed(some);
      some = [];
      await setImmediate();
    }
    this.committed(some);
  }

  /**
   * Those of the elements that were not written.
   * @param read the same elements as they were read
   */
  refused(elements: readonly Told[], read: readonly Read[]): void {
    this.#refuse(
      elements.flatMap(({ key, failure }, at) =>
        failure == null ? [] : [this.#refusal(key, read[at], failure.error)],
      ),
    );
  }

  /** All elements of a request of which one transaction was to write all or none, and nobody knows whether it has. */
  unknown(error: ProtocolError, read: readonly Read[]): void {
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

  #refusal(key: KeyTexts | null, read: Read | undefined, error: ProtocolError): WriteRefused {
    const { kind, dataclass, unique } = this.#context;
    const given = (read?.given ?? []).map(({ column }) => column.name);
    const isSaid = kind === 'save' && read?.said !== undefined;
    // What the URL addresses an entity by is its key only where it is not a unique attribute.
    const isAddress = unique !== null && key !== null && key === read?.key;
    return {
      action: kind === 'delete' ? 'delete' : savingAction(read),
      dataclass: dataclass.name,
      key: this.#keyText(isAddress ? null : key),
      attributes: isSaid
        ? [...saidNames(this.#members, read.said), ...saidLists(dataclass, read.said)]
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

/** The relations to many that are named. */
function saidLists({ members }: Dataclass, said: ReadonlySet<string>): string[] {
  return [...said].filter((name) => members.get(name)?.kind === 'relatedEntities');
}

/** What the save of an element is; `save` of one that could not be read, and does not tell. */
function savingAction(read: Read | undefined): WriteRefused['action'] {
  if (read?.key != null) return 'update';
  return read?.given === undefined ? 'save' : 'create';
}

/**
 * Runs what writes all elements or none. Where it ends in doubt, that is told of each of them.
 * @throws what the work throws
 */
export async function reportingDoubt<Result>(
  report: WriteReport | null,
  read: readonly Read[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isInDoubt = error instanceof ProtocolError && error.errorName === 'outcomeUnknown';
    if (isInDoubt) report?.unknown(error, read);
    throw error;
  }
}
