import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import { writtenText } from '../../answer/entities/entity-writer.ts';
import { compileGroups } from '../../answer/groups-writer.ts';
import { wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time.ts';
import { planGroups } from '../../plan/read/groups.ts';
import type { GroupsRequest } from '../../protocol/ast.ts';
import { isExport } from '../../protocol/requests/read.ts';
import { runGroups } from '../../run/read/groups.ts';
import { groupStatements } from '../../run/read/plan-statements.ts';
import { taggedAnswer } from '../http/etags.ts';
import { explained } from '../pipeline/explained.ts';
import { type OperationContext, setRequestOf, staged } from '../pipeline/operation.ts';
import { EXPORT_TYPES } from './long-read.ts';

/** Reads groups of entities with aggregates of each (DECISIONS, "`$groupby`"). */
export const groups = staged({
  name: 'groups',
  changes: false,
  addresses: ({ of }: GroupsRequest) => (of.kind === 'read' ? of : of.read),
  plan: planGroups,
  compile: (plan, { services: { database, settings } }) =>
    compileGroups(plan, database.dialect.limits.timeZone, settings.limits),
  isPage: () => true,
  run: async ({ plan }, _, context: OperationContext<GroupsRequest>) => {
    const { of } = context.ast;
    const { explain } = of.kind === 'read' ? of : of.read;
    const query = explain === undefined ? null : explained(explain, context);
    const request = setRequestOf(context);
    const { maxGroups } = context.services.settings.limits;
    const found = await runGroups(
      plan,
      maxGroups,
      query === null ? request : { ...request, activity: query.activity },
    );
    return { query, found };
  },
  write: async ({ query, found }, { plan, writer: write }, context): Promise<Answer> => {
    const { request, services, signal } = context;
    const text = await writtenText(write(found, request.url), new TimeSlice(signal));
    if (query !== null) {
      return jsonAnswer(await query.explain(wholeText(text), plan, groupStatements(plan)));
    }
    const { format } = plan;
    if (!isExport(format)) return taggedAnswer({ text }, request, services);
    const headers = { 'content-type': EXPORT_TYPES[format] };
    return { status: 200, headers, body: Buffer.from(wholeText(text)) };
  },
});
