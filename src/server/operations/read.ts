import { wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { jsonAnswer } from '../../answer/answer.ts';
import { writtenText } from '../../answer/entities/entity-writer.ts';
import {
  compileEncodedRead,
  compileRead,
  compileStamp,
} from '../../answer/entities/collection-writer.ts';
import type { ReadPlan } from '../../plan/condition/types.ts';
import { planRead } from '../../plan/read/read.ts';
import type { ReadRequest } from '../../protocol/ast.ts';
import { readStatements } from '../../run/read/plan-statements.ts';
import { runRead } from '../../run/read/read.ts';
import { readingFrom } from '../../run/run.ts';
import { explained } from '../pipeline/explained.ts';
import { enoughRows, type OperationContext, staged } from '../pipeline/operation.ts';
import { taggedPage } from '../tags/tagged-answer.ts';

function compile(plan: ReadPlan) {
  return {
    write: compileRead(plan),
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
    const { ast, values, services, epoch, request } = context;
    const query = ast.explain === undefined ? null : explained(ast.explain, context);
    const encoded = plan.answer === 'collection' && writer.writeEncoded !== null;
    const batch = plan.answer === 'entity' || encoded;
    const source = readingFrom(
      {
        database: services.database,
        activity: query?.activity ?? context,
        enoughRows: enoughRows(request),
      },
      // A query plan is that of the request's own statements.
      query === null ? { encoded, batch, epoch } : {},
    );
    return { query, result: await runRead(plan, values, source) };
  },
  write: async ({ query, result }, { plan, writer }, context) => {
    const { values, signal } = context;
    const slice = new TimeSlice(signal);
    if (query === null) return taggedPage(result, writer, slice, context, writer.stampOf(result));
    const text = wholeText(await writtenText(writer.write(result), slice));
    return jsonAnswer(await query.explain(text, plan, readStatements(plan, values)));
  },
});
