import { jsonAnswer } from '../../answer/answer.ts';
import { keyReader } from '../../answer/entities/entity-uri.ts';
import { compileSlices, type SliceWriter } from '../../answer/entities/collection-writer.ts';
import { TimeSlice } from '../../base/time.ts';
import { type ChangesPlan, planChanges } from '../../plan/read/changes.ts';
import type { ChangesRequest, Literal } from '../../protocol/ast.ts';
import { readToken, tokenSubject, tokenText } from '../../run/read/change-token.ts';
import { type ChangesPage, readChanges } from '../../run/read/changes.ts';
import type { DeleteContext } from '../../plan/write/delete.ts';
import {
  type OperationContext,
  type Planned,
  planOf,
  setRequestOf,
  staged,
} from '../pipeline/operation.ts';
import { partWriter } from './long-read.ts';

const changesPlan = {
  name: 'changes',
  plan: ({ read }: ChangesRequest, planning: DeleteContext) => planChanges(read, planning),
  compile: ({ entities }: ChangesPlan) => compileSlices(entities, entities.fetch),
};

/** The plan of a read of changes, and the writer of its entities. */
export function changesPlanOf(
  context: OperationContext<ChangesRequest>,
): Planned<ChangesPlan, SliceWriter> {
  return planOf(changesPlan, context);
}

/** Reads the entities that have changed since a token was made, the keys of those that are gone, and the next token. */
export const changes = staged({
  ...changesPlan,
  changes: false,
  addresses: ({ read }: ChangesRequest) => read,
  isPage: () => true,
  run: ({ plan, writer }, _, context: OperationContext<ChangesRequest>) => {
    const { ast, values } = context;
    const given = ast.since === null ? null : values[ast.since.parameter]?.value;
    const token = typeof given === 'string' ? readToken(given) : null;
    const input = { ...setRequestOf(context), token, subject: subjectOf(context) };
    return readChanges(plan, input, writer.encoded !== null);
  },
  write: async ({ removed, slices, token }, { plan, writer }, { signal }) => {
    const name = JSON.stringify(plan.entities.dataclass.name);
    const write = partWriter(writer, ',', new TimeSlice(signal));
    const parts: (string | Buffer)[] = [];
    let sent = 0;
    for (const slice of slices) {
      const written = await write(slice, sent);
      sent += written.sent;
      parts.push(...written.parts);
    }
    const reportsRemovals = plan.deleted !== null || plan.unmet !== null;
    const keys = reportsRemovals ? `"__REMOVED":${JSON.stringify(removed.flatMap(keysOf))},` : '';
    return jsonAnswer([
      `{"__DATACLASS":${name},"__entityModel":${name},${keys}"__ENTITIES":[`,
      ...parts.map(String),
      `],"__SENT":${sent},"__MORE":${token.round !== undefined},"__TOKEN":"${tokenText(token)}"}`,
    ]);
  },
});

/** The keys that some rows are of. */
export function keysOf({ plan, rows }: ChangesPage['removed'][number]): string[] {
  const { text } = keyReader(plan, plan.readers);
  return rows.flatMap((row) => text(row) ?? []);
}

/** What a token is about: what the user may see of a dataclass, and what of it the filter finds. */
function subjectOf(context: OperationContext<ChangesRequest>): string {
  const { read } = context.ast;
  const { access, model } = setRequestOf(context);
  const definition = model.dataclasses.get(read.dataclass)?.definition();
  const isOfFilter = ({ within }: Literal): boolean => within === '$filter' || within === '$params';
  const filtered = context.values.filter(isOfFilter).map(({ value }) => value);
  return tokenSubject([read.dataclass, definition, access.audience, read.filter, filtered]);
}
