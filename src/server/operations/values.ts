import { compileCompute, compileDistinct } from '../../answer/values-writer.ts';
import { planCompute } from '../../plan/read/compute.ts';
import { planDistinct } from '../../plan/read/distinct.ts';
import type { ComputeRequest, DistinctRequest } from '../../protocol/ast.ts';
import { runCompute, runDistinct } from '../../run/read/values.ts';
import { type OperationContext, setRequestOf, staged } from '../pipeline/operation.ts';
import { taggedAnswer } from '../tags/tagged-answer.ts';

/** Computes sums, averages and the like of an attribute (§4.10). */
export const compute = staged({
  name: 'compute',
  changes: false,
  addresses: ({ of }) => (of.kind === 'read' ? of : of.read),
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
  addresses: ({ of }) => (of.kind === 'read' ? of : of.read),
  plan: planDistinct,
  compile: compileDistinct,
  run: ({ plan }, _, context: OperationContext<DistinctRequest>) =>
    runDistinct(plan, setRequestOf(context)),
  write: (rows, { writer: write }, { request, services }) =>
    taggedAnswer({ text: write(rows) }, request, services),
});
