import { afterAll, beforeAll, describe, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import type { OpenTarget, Target } from '../targets/target.ts';
import { withContract } from './contract.ts';
import { skipped } from './suite.ts';
import { WriteClient } from './write-client.ts';

/** A short sequence of requests that change entities of its own, with the whole answer to each. */
export interface WriteCase {
  /** Begins with the section of the specification. Unique. */
  readonly title: string;
  readonly run: (rest: WriteClient) => Promise<void>;
  /** Why it is left out behind a gateway; null where it runs. */
  readonly reasonToSkip?: (gateway: Gateway) => string | null;
}

/** A {@link WriteCase} that runs everywhere. */
export function writing(title: string, run: WriteCase['run']): WriteCase {
  return { title, run };
}

/** Runs the cases over HTTP on a fresh database of the target; what cannot run is skipped with its reason. @param start starts the gateway */
export async function runWrites(
  target: Target,
  cases: readonly WriteCase[],
  start: typeof startGateway = startGateway,
): Promise<void> {
  const missing = await target.unavailable();
  describe(`${target.name}, writes`, () => {
    if (missing !== null) {
      test.skip(`${cases.length} cases: ${missing}`, () => undefined);
      return;
    }
    let opened: OpenTarget;
    let gateway: Gateway;
    beforeAll(async () => {
      opened = await target.open();
      gateway = await withContract(await start(opened.database));
    });
    afterAll(async () => {
      await gateway.close();
      await opened.close();
    });
    for (const [index, { title, run, reasonToSkip }] of cases.entries()) {
      test(title, async ({ skip }) => {
        const reason = skipped(target, gateway, title) ?? reasonToSkip?.(gateway) ?? null;
        if (reason !== null) skip(reason);
        await run(new WriteClient(gateway, index + 1));
      });
    }
  });
}
