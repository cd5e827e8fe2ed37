import { wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import { compileEncodedRead } from '../../answer/entities/encoded-read-writer.ts';
import { writtenText } from '../../answer/entities/list-writing.ts';
import { compileRead, compileStamp } from '../../answer/entities/read-writer.ts';
import type { ReadPlan } from '../../plan/condition/types.ts';
import { planRead } from '../../plan/read/read.ts';
import type { ReadRequest } from '../../protocol/ast.ts';
import { readStatements } from '../../run/read/plan-statements.ts';
import { type ReadResult, runRead } from '../../run/read/read.ts';
import { readingFrom } from '../../run/run.ts';
import { explained } from '../pipeline/explained.ts';
import { type OperationContext, staged } from '../pipeline/operation.ts';
import { STAMP_PLACE, taggedAnswer, taggedBytes } from '../tags/tagged-answer.ts';

/** The writers of the answer to a read. */
type ReadWriters = ReturnType<typeof compile>;

function compile(plan: ReadPlan) {
  return {
    write: compileRead(plan),
    /** Writes the same from rows as they came; null where that cannot be. */
    writeEncoded: compileEncodedRead(plan),
    stampOf: compileStamp(plan),
  };
}

/** How reads are planned, and their writers compiled. */
export const readPlan = { name: 'read', plan: planRead, compile, changes: false };

/** Reads an entity, or a page of a collection (§4.2). */
export const read = staged({
  ...readPlan,
  addresses: (ast) => ast,
  isPage: ({ answer }) => answer === 'collection',
  run: async ({ plan, writer }, _, context: OperationContext<ReadRequest>) => {
    const { ast, values, services, epoch } = context;
    const query = explained(ast.explain, context);
    const encoded = plan.answer === 'collection' && writer.writeEncoded !== null;
    const batch = plan.answer === 'entity' || encoded;
    const source = readingFrom(
      { database: services.database, activity: query?.activity ?? context },
      // A query plan is that of the request's own statements.
      query === null ? { encoded, batch, epoch } : {},
    );
    return { query, result: await runRead(plan, values, source) };
  },
  write: async ({ query, result }, { plan, writer }, context) => {
    const { values, signal } = context;
    const slice = new TimeSlice(signal);
    if (query === null) return writeTagged(result, writer, slice, context);
    const text = wholeText(await writtenText(writer.write(result), slice));
    return jsonAnswer(await query.explain(text, plan, readStatements(plan, values)));
  },
});

async function writeTagged(
  result: ReadResult,
  { write, writeEncoded, stampOf }: ReadWriters,
  slice: TimeSlice,
  { request, services }: OperationContext,
): Promise<Answer> {
  const { fetched, encoded: rows, count, first, globalStamp } = result;
  if (rows !== undefined && writeEncoded !== null) {
    const page = { rows, count, first, globalStamp: STAMP_PLACE };
    const bytes = (before: number): Promise<readonly Buffer[]> => writeEncoded(page, before, slice);
    return taggedBytes(globalStamp, bytes, request, services);
  }
  const text = await writtenText(write({ fetched, count, first, globalStamp: STAMP_PLACE }), slice);
  return taggedAnswer({ text, globalStamp, stamp: stampOf(result) }, request, services);
}
