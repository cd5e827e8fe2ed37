import { ProtocolError } from '../base/errors.ts';
import type { StorageAttribute } from '../model/types.ts';
import { entityName, type KeyTexts } from '../values/body-key.ts';
import { generatedKey } from '../plan/generated-key.ts';
import {
  assignedColumn,
  bytesOf,
  cells,
  changedColumns,
  newColumns,
  type ColumnValue,
} from '../values/changes.ts';
import { grouped, groupId, isInsertedAlone } from './alike.ts';
import type { ReadEntity } from './save.ts';
import { RelatedLookup } from './related-lookup.ts';
import type { ReadSource } from './run.ts';
import { consequence, noEntity, notChanged, notCreated, stampChanged } from './write-errors.ts';
import {
  BatchRefused,
  cellText,
  inKeyOrder,
  keyId,
  metKeys,
  rowCount,
  WriteRun,
  type HeldRow,
  type WriteParts,
  type Written,
} from './write-run.ts';
import { findLosses } from './losses.ts';
import { isSameKey, keyMismatch } from '../values/entity-key.ts';
import { relatedValues } from '../values/given-value.ts';
import type { GivenValue, PlannedEntity } from '../values/types.ts';

/** The stamp that an entity was read again with; null where it is gone, undefined where it was not asked for. */
type StampOf = (index: number) => string | null | undefined;

/** A new entity with the columns of its row. */
interface Creation {
  readonly written: Written;
  readonly columns: readonly ColumnValue[];
}

/** An entity to change, with what its row holds. */
interface Change {
  readonly written: Written;
  readonly held: HeldRow;
  readonly stamp: string | null;
  /** What the body names, changed or not. */
  readonly named: readonly ColumnValue[];
  /** What of it differs from what the row holds. */
  readonly columns: readonly ColumnValue[];
  readonly changed: ReadonlyMap<string, ColumnValue>;
}

/**
 * Saves the entities of one request. New ones go in by one statement for each set of columns; existing ones are read first, all by one
 * statement, and only what differs from what their rows hold is written, under the condition that the stamp is
 * still the one that was read.
 */
export class SaveRun extends WriteRun {
  /** The keys of the entities to answer with, by index. */
  readonly keys = new Map<number, KeyTexts>();
  /** Entities whose rows the statement did not find as they were read, and whether it looked for a stamp. */
  readonly missed = new Map<number, 'stamped' | 'unstamped'>();
  /** Entities whose rows hold already what they are given, with the stamps of those. */
  readonly #unchanged = new Map<number, HeldRow>();
  /** Of the rows that this run has changed, the stamps that they had before, by their keys as text. */
  readonly #changed = new Map<string, string>();
  /** The new entities whose rows were taken by the database. */
  readonly #created = new Set<number>();
  readonly #attributes: readonly StorageAttribute[];

  /** @param attributes those whose values address existing entities: the key, or what the URL names */
  constructor(parts: WriteParts, attributes: readonly StorageAttribute[]) {
    super(parts);
    this.#attributes = attributes;
  }

  /** What the saved entities are read again from. */
  get readSource(): ReadSource {
    return this.source;
  }

  /** Saves; how each entity ended is in {@link keys}, {@link missed} and `failures` then. */
  async save(entities: readonly ReadEntity[]): Promise<void> {
    const planned: PlannedEntity[] = [];
    for (const entity of entities) {
      if ('error' in entity) this.fail(entity, entity.error);
      else planned.push(entity);
    }
    const lookup = await RelatedLookup.of(planned, this.parts, this.source);
    const ready = planned.flatMap((entity) => this.#withRelated(entity, lookup));
    const lossless = await this.#withoutLosses(ready);
    await this.#create(lossless.filter(({ key }) => key === null));
    let waiting = lossless.filter(({ key }) => key !== null);
    // An entity that a body holds twice is saved twice, one after the other.
    while (waiting.length > 0) waiting = await this.#update(waiting);
  }

  #withRelated(entity: PlannedEntity, lookup: RelatedLookup): PlannedEntity[] {
    if (entity.related.length === 0) return [entity];
    const given: GivenValue[] = [...entity.given];
    for (const { relation, key } of entity.related) {
      const texts = lookup.find(relation, key);
      const member = `${this.parts.dataclass.name}.${relation.name}`;
      const known = given.filter((value) => value.member === member);
      if (texts !== null) {
        if (known.length === 0) given.push(...relatedValues(relation, texts, this.parts.dataclass));
        continue;
      }
      const dangling = `${member} refers to an entity that does not exist: there is no ${relation.target.name}(${key.join(';')}).`;
      if (known.length === 0) {
        this.#refuse(entity, new ProtocolError('brokenReference', dangling));
        return [];
      }
      // A reference that leads nowhere already may be sent back as it was read.
      for (const value of known) given[given.indexOf(value)] = { ...value, dangling };
    }
    return [{ ...entity, given }];
  }

  async #withoutLosses(entities: readonly PlannedEntity[]): Promise<readonly PlannedEntity[]> {
    const losses = await findLosses(entities, this.parts.statements, this.source);
    if (losses.size === 0) return entities;
    return entities.filter((entity) => {
      const member = losses.get(entity);
      if (member === undefined) return true;
      const message = `${member} holds characters that its column cannot store: they are not in its code page.`;
      this.fail(written(entity), new ProtocolError('wrongType', message));
      return false;
    });
  }

  async #create(entities: readonly PlannedEntity[]): Promise<void> {
    const creations = entities.flatMap((entity): Creation[] => {
      const columns = this.#checked(entity, () => newColumns(entity.given, this.parts.dataclass));
      return columns === null ? [] : [{ written: written(entity), columns }];
    });
    const { dataclass } = this.parts;
    const groups = grouped(creations, ({ columns, written: { index } }) =>
      groupId(columns, index, isInsertedAlone(columns, dataclass)),
    );
    await this.apply(groups, 'create', (items) => this.#insert(items));
  }

  async #insert(items: readonly Creation[]): Promise<void> {
    const [first] = items;
    if (first === undefined) return;
    const { statements, dataclass } = this.parts;
    const statement = statements.insert(first.columns.map(assignedColumn), rowCount(items));
    const rows = await this.change(statement, {
      rows: items.map(({ columns }) => cells(columns)),
      bytes: bytesOf(first.columns),
    });
    // Rows that are missing cannot be told from those that are there: each has to go in alone.
    const isTold = generatedKey(first.columns, dataclass).length === 0;
    if (!isTold && items.length > 1 && rows.length < items.length) {
      throw new BatchRefused(notCreated(dataclass));
    }
    for (const [at, { columns, written: target }] of items.entries()) {
      const row = rows[at];
      const generated = generatedKey(columns, dataclass);
      if (row === undefined && generated.length > 0) {
        this.fail(target, notCreated(dataclass));
        continue;
      }
      const key = dataclass.key.map(({ column }, part) => {
        const given = columns.find((candidate) => candidate.column.name === column.name)?.value;
        if (typeof given === 'string' && !generated.includes(column)) return given;
        return row === undefined ? null : cellText(statement, row, part);
      });
      if (key.length > 0 && key.every((part) => part !== null)) {
        this.keys.set(target.index, key);
        this.#created.add(target.index);
      }
    }
  }

  /** @returns the entities whose rows another entity of the body changes first */
  async #update(entities: readonly PlannedEntity[]): Promise<PlannedEntity[]> {
    const again: PlannedEntity[] = [];
    const changes: Change[] = [];
    const seen = new Set<string>();
    const rows = await this.heldRows(
      this.#attributes,
      entities.map(({ key }) => key ?? []),
      this.#namedColumns(entities),
    );
    for (const [at, entity] of entities.entries()) {
      const held = rows[at] ?? null;
      if (held === null) {
        const { dataclass, unique } = this.parts;
        this.fail(written(entity), noEntity(entity.key, dataclass, unique));
        continue;
      }
      const id = keyId(held.key);
      if (seen.has(id)) {
        again.push(entity);
        continue;
      }
      seen.add(id);
      const change = this.#change(entity, held);
      if (change !== null) changes.push(change);
    }
    const groups = grouped(
      changes.filter(({ changed }) => changed.size > 0),
      ({ named, stamp, written: { index } }) =>
        `${stamp === null ? '' : '!'}${groupId(named, index, this.#isChangedAlone)}`,
    );
    await this.apply(groups, 'update', (items) => this.#updateRows(items));
    return again;
  }

  /** A trigger that stands in for the statement takes one row. */
  get #isChangedAlone(): boolean {
    return this.parts.dataclass.table.instead?.includes('update') ?? false;
  }

  #namedColumns(entities: readonly PlannedEntity[]): GivenValue['column'][] {
    const columns = new Map(
      entities.flatMap(({ given }) => given.map(({ column }) => [column.name, column])),
    );
    return [...columns.values()].sort((a, b) => a.position - b.position);
  }

  /** What of an entity is to be written; null where it failed. */
  #change(entity: PlannedEntity, held: HeldRow): Change | null {
    const { dataclass, unique } = this.parts;
    const target = { index: entity.index, key: held.key };
    const { ownKey } = entity;
    if (ownKey !== null && !isSameKey(ownKey, held.key, dataclass)) {
      const addressed = entityName(dataclass, entity.key ?? [], unique);
      this.fail(written(entity), keyMismatch(addressed, ownKey));
      return null;
    }
    if (entity.stamp !== null && entity.stamp !== held.stamp) {
      this.keys.set(entity.index, held.key);
      this.fail(target, stampChanged('update', held.key, dataclass), true);
      return null;
    }
    const columns = this.#checked(entity, () =>
      changedColumns(entity.given, dataclass, ({ name }) => held.column(name)),
    );
    if (columns === null) return null;
    this.keys.set(entity.index, held.key);
    if (columns.length === 0) this.#unchanged.set(entity.index, held);
    const changed = new Map(columns.map((value) => [value.column.name, value]));
    const named = this.#namedColumns([entity])
      .filter(({ type, name }) => type.kind !== 'binary' || changed.has(name))
      .map(
        (column): ColumnValue =>
          changed.get(column.name) ?? {
            column,
            type: column.type,
            value: held.column(column.name),
          },
      );
    return { written: target, held, stamp: entity.stamp, named, columns, changed };
  }

  async #updateRows(unordered: readonly Change[]): Promise<void> {
    const items = inKeyOrder(unordered);
    const [first] = items;
    if (first === undefined) return;
    const isChanged = ({ column }: ColumnValue): boolean =>
      items.some(({ changed }) => changed.has(column.name));
    const columns = first.named.filter(isChanged);
    const statement = this.parts.statements.update(
      columns.map(assignedColumn),
      first.stamp !== null,
      rowCount(items),
    );
    const rows = await this.change(statement, {
      rows: items.map(({ held, stamp, named }) => [
        ...held.key,
        ...(stamp === null ? [] : [stamp]),
        ...cells(named.filter(isChanged)),
      ]),
      bytes: bytesOf(columns),
    });
    const done = metKeys(statement, rows, this.parts.dataclass);
    for (const { held, stamp, written: target } of items) {
      const id = keyId(held.key);
      if (done.has(id) || (this.#isChangedAlone && rows.length > 0)) {
        if (!this.#changed.has(id)) this.#changed.set(id, held.stamp);
        continue;
      }
      if (this.parts.atomic) {
        const { dataclass } = this.parts;
        this.fail(
          target,
          stamp === null
            ? notChanged('update', held.key, dataclass)
            : stampChanged('update', held.key, dataclass),
        );
      }
      this.missed.set(target.index, stamp === null ? 'unstamped' : 'stamped');
    }
  }

  /**
   * Takes note of entities that were not written because their rows held what they were given, and hold something else when
   * they are read again: whoever takes the new stamp for that of what it sent would overwrite what it never saw.
   */
  checkUnchanged(stampOf: StampOf): void {
    for (const [index, { key, stamp }] of this.#unchanged) {
      if (this.#changed.has(keyId(key))) continue;
      const { dataclass } = this.parts;
      const now = stampOf(index);
      if (now === undefined) continue;
      if (now === null) this.fail({ index, key }, noEntity(key, dataclass));
      else if (now !== stamp)
        this.fail({ index, key }, stampChanged('update', key, dataclass), true);
    }
  }

  /**
   * Takes back what the database took and did not keep: new rows that are not there, changed ones that are as they were. A
   * trigger of its own has seen to that, or a view does not show what was put into it.
   * @throws BatchRefused outside of an atomic request, so that nothing of the transaction stays
   */
  checkKept(stampOf: StampOf): void {
    const { dataclass, atomic } = this.parts;
    const refuse = (index: number, key: KeyTexts, error: ProtocolError): void => {
      if (!atomic) throw new BatchRefused(error);
      this.fail({ index, key }, error);
    };
    for (const [index, key] of this.keys) {
      const stamp = stampOf(index);
      const before = this.#changed.get(keyId(key));
      if (this.#created.has(index) && stamp === null) refuse(index, key, notCreated(dataclass));
      if (before !== undefined && stamp === before) {
        refuse(index, key, notChanged('update', key, dataclass));
      }
    }
  }

  /** What a check of the model comes to; null where it failed. */
  #checked<Result>(entity: PlannedEntity, check: () => Result): Result | null {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#refuse(entity, error);
      return null;
    }
  }

  /** A broken reference leads to the same, whether a foreign key of the database or the gateway finds it. */
  #refuse(entity: PlannedEntity, error: ProtocolError): void {
    const kind = entity.key === null ? 'create' : 'update';
    this.fail(
      written(entity),
      error.errorName === 'brokenReference'
        ? error.leadingTo(consequence(kind, entity.key, this.parts.dataclass))
        : error,
    );
  }
}

function written({ index, key }: PlannedEntity): Written {
  return { index, key };
}
