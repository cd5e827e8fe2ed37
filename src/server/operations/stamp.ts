import { jsonAnswer } from '../../answer/answer.ts';
import type { StampRequest } from '../../protocol/ast.ts';
import { readingFrom } from '../../run/run.ts';
import { executionOf, type OperationContext, staged } from '../pipeline/operation.ts';

/** Reads the server-wide modification stamp (§2.3): a client that polls it knows when there is anything to read again. */
export const stamp = staged({
  name: 'stamp',
  changes: false,
  plan: (_: StampRequest, { printer }) => printer.print({ kind: 'globalStamp' }),
  run: async ({ plan }, _, context: OperationContext<StampRequest>) => {
    const [row] = await readingFrom(executionOf(context)).run(plan, {});
    return String(row?.[0]);
  },
  write: (globalStamp) => jsonAnswer(`{"__GlobalStamp":${globalStamp}}`),
});
