import { jsonAnswer } from '../../answer/answer.ts';
import {
  compileEncodedRead,
  compileRead,
  compileStamp,
} from '../../answer/entities/collection-writer.ts';
import { writtenText } from '../../answer/entities/entity-writer.ts';
import { compileCompute, compileDistinct } from '../../answer/values-writer.ts';
import { wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time.ts';
import type { ReadPlan } from '../../plan/condition/types.ts';
import { planCompute } from '../../plan/read/compute.ts';
import { planDistinct } from '../../plan/read/distinct.ts';
import { planRead } from '../../plan/read/read.ts';
import type { ComputeRequest, DistinctRequest, ReadRequest } from '../../protocol/ast.ts';
import { readStatements } from '../../run/read/plan-statements.ts';
import { runRead } from '../../run/read/read.ts';
import { runCompute, runDistinct } from '../../run/read/values.ts';
import { readingFrom } from '../../run/run.ts';
import { explained } from '../pipeline/explained.ts';
import { enoughRows, type OperationContext, setRequestOf, staged } from '../pipeline/operation.ts';
import { taggedAnswer, taggedPage } from '../http/etags.ts';

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

/** What a request for values addresses. */
const addresses = ({ of }: ComputeRequest | DistinctRequest): ReadRequest =>
  of.kind === 'read' ? of : of.read;

/** Computes sums, averages and the like of an attribute (§4.10). */
export const compute = staged({
  name: 'compute',
  changes: false,
  addresses,
  plan: planCompute,
  compile: compileCompute,
  run: ({ plan }, _, context: OperationContext<ComputeRequest>) =>
    runCompute(plan, setRequestOf(context)),
  write: (row, { writer: write }, { request, services }) =>
    taggedAnswer({ text: write(row) }, request, services),
});

/** Reads the distinct values of an attribute (§4.11). */
export const distinct = staged({
  name: 'distinct',
  changes: false,
  addresses,
  plan: planDistinct,
  compile: compileDistinct,
  run: ({ plan }, _, context: OperationContext<DistinctRequest>) =>
    runDistinct(plan, setRequestOf(context)),
  write: (rows, { writer: write }, { request, services }) =>
    taggedAnswer({ text: write(rows) }, request, services),
});
