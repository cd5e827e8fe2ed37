import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { curl } from '../cases/run.ts';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import type { OpenTarget, Target } from '../targets/target.ts';
import { Client } from './client.ts';
import { withContract } from './contract.ts';

/** One row of the conformance tables: a request and its whole answer. */
export interface Case {
  /** Begins with the section of the specification: `§4.3 begin finds …`. Unique. */
  readonly title: string;
  /** GET where it is left out. */
  readonly method?: string;
  readonly url: string;
  /** 200 where it is left out. */
  readonly status?: number;
  /** The whole body; asymmetric matchers stand for what differs from engine to engine (stamps). An error says why it is not known. */
  readonly body: unknown;
  /** What the text has to look like, where the specification fixes the order of fields. */
  readonly text?: RegExp;
}

/** A short sequence of requests with their answers. */
export interface SequenceCase {
  /** Begins with the section of the specification. Unique. */
  readonly title: string;
  readonly run: (rest: Client) => Promise<void>;
  /** The gateway's setting; the sample's, which is true, where it is left out. */
  readonly ignoreCase?: false;
  /** Why it is left out behind a gateway; null where it runs. */
  readonly reasonToSkip?: (gateway: Gateway) => string | null;
}

/** A {@link SequenceCase} that runs everywhere. */
export function sequence(title: string, run: SequenceCase['run']): SequenceCase {
  return { title, run };
}

/** The conformance cases of a target, by what they may change. */
export interface Cases {
  readonly reads: readonly Case[];
  readonly sequences: readonly SequenceCase[];
  /** Those that change entities, each its own. */
  readonly writes: readonly SequenceCase[];
}

/**
 * Runs the cases over HTTP on a target, those that change entities on a database of their own; what cannot run is skipped with its reason.
 * @param start starts each gateway
 */
export async function runConformance(
  target: Target,
  { reads, sequences, writes }: Cases,
  start: typeof startGateway = startGateway,
): Promise<void> {
  const missing = await target.unavailable();
  if (missing !== null) {
    const count = reads.length + sequences.length + writes.length;
    describe(target.name, () => {
      test.skip(`${count} cases: ${missing}`, () => undefined);
    });
    return;
  }
  const read = reads.map(
    ({ title, method = 'GET', url, status = 200, body, text }): SequenceCase => ({
      title,
      run: async ({ gateway }) => {
        const asked = `${title}\n${curl(gateway, url, { method })}\n`;
        if (body instanceof Error) throw new Error(asked + body.message, { cause: body });
        const answer = await gateway.get(url, { method });
        expect({ status: answer.status, body: answer.body }, asked).toEqual({ status, body });
        if (text !== undefined) expect(answer.text, asked).toMatch(text);
      },
    }),
  );
  runOn(target, target.name, [...read, ...sequences], start);
  runOn(target, `${target.name}, writes`, writes, start);
}

/** Runs cases on a fresh database, behind one gateway and another one with `ignoreCase: false`. */
function runOn(
  target: Target,
  name: string,
  cases: readonly SequenceCase[],
  start: typeof startGateway,
): void {
  describe.skipIf(cases.length === 0)(name, () => {
    let opened: OpenTarget;
    let gateway: Gateway;
    let exact: Gateway;
    beforeAll(async () => {
      opened = await target.open();
      gateway = await withContract(await start(opened.database));
      exact = await withContract(
        await start(opened.database, { ignoreCase: false }, gateway.database),
      );
    });
    afterAll(async () => {
      await exact.close();
      await gateway.close();
      await opened.close();
    });
    for (const { title, run, ignoreCase, reasonToSkip } of cases) {
      test(title, async ({ skip }) => {
        const reason = skipped(target, gateway, title) ?? reasonToSkip?.(gateway) ?? null;
        if (reason !== null) skip(reason);
        await run(new Client(ignoreCase === false ? exact : gateway));
      });
    }
  });
}

/** Why the engine behind a gateway cannot pass a case, or null where it can. */
function skipped(target: Target, gateway: Gateway, title: string): string | null {
  const group = target.skip.find(
    ({ engine, cases }) => engine.test(gateway.database.version) && cases.includes(title),
  );
  return group?.reason ?? null;
}
