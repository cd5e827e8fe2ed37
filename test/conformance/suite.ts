import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import type { OpenTarget, Target } from '../targets/target.ts';

/** One row of the conformance tables: a request and its whole answer. */
export interface Case {
  /** Begins with the section of the specification: `§4.3 begin finds …`. Unique. */
  readonly title: string;
  readonly url: string;
  /** 200 where it is left out. */
  readonly status?: number;
  /** The whole body; asymmetric matchers stand for what differs from engine to engine (stamps). */
  readonly body: unknown;
}

/** Runs the cases over HTTP on a target; what cannot run is skipped with its reason in the title. */
export async function runConformance(target: Target, cases: readonly Case[]): Promise<void> {
  const missing = await target.unavailable();
  if (missing !== null) {
    describe(target.name, () => {
      test.skip(`${cases.length} cases: ${missing}`, () => undefined);
    });
    return;
  }
  describe(target.name, () => {
    let opened: OpenTarget;
    let gateway: Gateway;
    beforeAll(async () => {
      opened = await target.open();
      gateway = await startGateway(opened.database);
    });
    afterAll(async () => {
      await gateway.close();
      await opened.close();
    });
    for (const { title, url, status = 200, body } of cases) {
      const skipped = target.skip.find((group) => group.cases.includes(title));
      if (skipped !== undefined) {
        test.skip(`${title}: ${skipped.reason}`, () => undefined);
        continue;
      }
      test(title, async () => {
        const answer = await gateway.get(url);
        expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
      });
    }
  });
}
