import { expect } from 'vitest';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { Client } from './client.ts';
import { facts, type DataclassName } from './dataclasses.ts';
import { keyOf, oneEntity, uriOf, type Row, type Shape } from './oracle.ts';
import { changedRow, newRow, saved, type Given } from './write-oracle.ts';

/** An entity that a test made or changed: its row as the oracle has it, and the stamp that it was answered with. */
export interface Made {
  readonly dataclass: DataclassName;
  readonly row: Row;
  readonly key: string;
  readonly stamp: unknown;
}

/** A client that makes entities of its own, and compares each answer with the oracle's. */
export class WriteClient extends Client {
  /** A number that no other case has: for keys and what else has to be unique. */
  readonly number: number;

  constructor(gateway: Gateway, number: number) {
    super(gateway);
    this.number = number;
  }

  /** Makes an entity and compares the whole answer; `columns` are those that it stands in in other forms than it was sent. */
  async create(dataclass: DataclassName, given: Given, columns: Row = {}): Promise<Made> {
    const answer = await this.send({ url: `${dataclass}?$method=update`, body: given });
    return this.made(dataclass, answer, newRow(dataclass, given, columns));
  }

  /** Compares the answer to the making of one entity; a key that the database gave is taken from it. */
  made(dataclass: DataclassName, answer: Answer, expected: Row): Made {
    const row = { ...keyColumns(dataclass, answer.body, expected), ...withoutNulls(expected) };
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: saved(dataclass, { ...expected, ...row }),
    });
    return made(dataclass, { ...expected, ...row }, answer.body);
  }

  /** Changes an entity and compares the whole answer. */
  async update(entity: Made, given: Given, columns: Row = {}): Promise<Made> {
    const { dataclass } = entity;
    const answer = await this.send({
      url: `${dataclass}?$method=update`,
      body: { __KEY: entity.key, __STAMP: entity.stamp, ...given },
    });
    const row = changedRow(dataclass, entity.row, given, columns);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: saved(dataclass, row),
    });
    const changed = made(dataclass, row, answer.body);
    expect(changed.stamp).not.toEqual(entity.stamp);
    return changed;
  }

  /** Compares an answer with what was to come; for those that tell what the database has chosen, such as keys. */
  same(answer: Answer, body: unknown): void {
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body });
  }

  /** An entity of which the row is known. */
  known(dataclass: DataclassName, row: Row): Made {
    return { dataclass, row, key: keyOf(dataclass, row), stamp: row['REC_VER'] };
  }

  /** The entity is in the database as the oracle has it. */
  async reads({ dataclass, row }: Made, shape: Shape = {}): Promise<Answer> {
    return this.answers(
      { method: 'GET', url: addressOf(dataclass, row) },
      oneEntity(dataclass, row, shape),
    );
  }

  /** There is no such entity any more. */
  async gone({ dataclass, row }: Made): Promise<void> {
    const answer = await this.send({ method: 'GET', url: addressOf(dataclass, row) });
    expect(answer.body).toMatchObject({ __ERROR: [{ errCode: 1543 }] });
  }
}

/** The path of an entity below `/rest/`. */
export function addressOf(dataclass: DataclassName, row: Row): string {
  return uriOf(dataclass, row).slice('/rest/'.length);
}

function made(dataclass: DataclassName, row: Row, answer: unknown): Made {
  const { __STAMP: stamp } = answer as { __STAMP?: unknown };
  return { dataclass, row, key: keyOf(dataclass, row), stamp };
}

/** The parts of a key that the test did not give, as the gateway answered them. */
function keyColumns(dataclass: DataclassName, answer: unknown, expected: Row): Row {
  const { key, attributes } = facts(dataclass);
  const open = key.filter((name) => (expected[attributes[name] ?? ''] ?? null) === null);
  return Object.fromEntries(
    open.map((name) => {
      const value = (answer as Record<string, unknown>)[name];
      expect(value).toEqual(
        dataclass === 'Document'
          ? expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
          : expect.any(Number),
      );
      return [attributes[name] ?? '', value as string | number];
    }),
  );
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
