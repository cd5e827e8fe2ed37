import { request } from 'node:http';
import { expect } from 'vitest';
import type { Answer, Gateway } from '../targets/gateway.ts';
import type { Verb } from './shapes/engines.ts';

/** What is in an entity set, as far as tests here look: the value of one attribute for each slot, null for a deleted entity. */
export type Slots = readonly unknown[];

/** A clock that goes when it is told to. */
export class ManualClock {
  #milliseconds = Date.UTC(2024, 1, 29);

  /** The time in milliseconds. */
  now(): number {
    return this.#milliseconds;
  }

  forward(seconds: number): void {
    this.#milliseconds += seconds * 1000;
  }
}

/** `WAIT 7200-1` lets so many seconds pass. */
export function waiting(clock: ManualClock): Verb {
  return (_, { text }) => {
    clock.forward((text.match(/[+-]?\d+/g) ?? []).reduce((sum, part) => sum + Number(part), 0));
    return Promise.resolve(null);
  };
}

/** Makes an entity set. @returns its URI */
export async function makeSet(gateway: Gateway, path: string): Promise<string> {
  const { status, body } = await gateway.get(`/rest/${path}`);
  const { __ENTITYSET: uri } = body as { readonly __ENTITYSET?: string };
  expect({ status, uri }).toEqual({
    status: 200,
    uri: expect.stringMatching(/^\/rest\/\w+\/\$entityset\/[A-Z0-9]+$/) as unknown,
  });
  return uri ?? '';
}

export function idOf(uri: string): string {
  return uri.replace(/^.*\//, '');
}

/** The values of one attribute on a page of an answer that is a collection, with what it counts. */
export function slotsOf(answer: Answer, attribute: string): { count: number; slots: Slots } {
  const { __COUNT: count, __ENTITIES: entities } = answer.body as {
    readonly __COUNT: number;
    readonly __ENTITIES: readonly Readonly<Record<string, unknown>>[];
  };
  const slots = entities.map((entity) =>
    entity['__STAMP'] === 0 ? deleted(entity) : entity[attribute],
  );
  return { count, slots };
}

function deleted(entity: object): null {
  expect(entity).toEqual({ __STAMP: 0 });
  return null;
}

/** The status of an answer and the codes of its errors: `[200]`, `[404, 1802]`. */
export function told({ status, body }: Answer): readonly number[] {
  const { __ERROR: errors = [] } = body as { __ERROR?: readonly { errCode: number }[] };
  return [status, ...errors.map(({ errCode }) => errCode)];
}

/** Sends a request, and closes the connection some milliseconds later. */
export function leave(port: number, path: string, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path });
    sent.on('error', () => undefined);
    sent.on('close', resolve);
    sent.on('response', (response) => response.resume());
    sent.end();
    setTimeout(() => sent.destroy(), milliseconds);
  });
}
