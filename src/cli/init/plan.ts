import { uniqueColumns } from '../../model/key.ts';
import type { ModelSettings } from '../../model/types.ts';
import { qualifiedName } from '../../schema/types.ts';
import { addAttributes, addHead, typeComments } from './attributes.ts';
import { proposals } from './bookkeeping.ts';
import { InitContext, type InitInput } from './context.ts';
import { beginDrafts, type Draft, valueOf } from './draft.ts';
import { exposureOf } from './exposure.ts';
import type { FileToWrite } from './files.ts';
import { prove } from './prove.ts';
import { addRelations } from './relations.ts';
import { planRoutines } from './routines.ts';
import { mergedText, newText } from './yaml-text.ts';

export type InitPlan = Awaited<ReturnType<typeof planInit>>;

/** Plans a run of `init` on a folder of mapping files. @throws StartupError when nothing can be added to a file as it is written */
export async function planInit(input: InitInput, folder: string, settings: ModelSettings) {
  const context = new InitContext(input);
  const { drafts, removed } = beginDrafts(context, folder);
  for (const draft of drafts) {
    addHead(draft, context);
    addAttributes(draft, context);
  }
  addRelations(drafts, context);
  const { problems, warnings } = prove(drafts, settings, context);
  const routines = input.rules.routines
    ? await planRoutines(context, folder)
    : { write: null, added: [] };
  const created = drafts.filter(({ source }) => source === null);
  const changed = drafts.filter(
    ({ source, attributes, relations }) => source !== null && attributes.size + relations.size > 0,
  );
  const writes = drafts.filter((draft) => draft.source === null || changed.includes(draft));
  return {
    writes: [
      ...(await Promise.all(writes.map(fileOf))),
      ...(routines.write === null ? [] : [routines.write]),
    ],
    /** Functions that were added, with their routines. */
    functions: routines.added,
    created,
    /** Files that existed, and the names that were added to them. */
    changed: changed.map(({ path, attributes, relations }) => ({
      path,
      names: [...attributes.keys(), ...relations.keys()],
    })),
    leftOut: context.leftOut.toSorted((a, b) => (a.what < b.what ? -1 : 1)),
    /** Tables whose files were removed after an earlier run. */
    removed,
    /** Mapped tables that the rules do not choose. */
    unchosen: drafts.filter(({ source, table }) => source !== null && !context.isChosen(table)),
    /** New files whose entities are read by filter only. */
    keyless: created.filter((draft) => !hasKey(draft)),
    exposure: exposureOf(drafts, context.index.fold),
    proposals: proposals(context),
    /** Parts of files that no longer fit the database. */
    gone: problems,
    warnings:
      input.rules.routines && context.routines.length === 0
        ? [...warnings, 'The database has no procedure or function that the login may run.']
        : warnings,
    /** The snapshot that the next run compares with. */
    seen: {
      ...input.schema,
      tables: context.tables,
      ...(input.schema.routines === undefined ? {} : { routines: context.routines }),
    },
  };
}

async function fileOf(draft: Draft): Promise<FileToWrite> {
  const { path, source, attributes, relations } = draft;
  const value = valueOf(draft);
  const comments = typeComments(draft);
  if (source === null) {
    const text = newText(value, ['attributes', 'relations'], commentOf(draft), comments);
    return { path, text };
  }
  const additions = {
    attributes: [...attributes],
    relations: [...relations].map(([name, { setting }]) => [name, setting] as const),
  };
  return { path, text: await mergedText(path, additions, value, 'sections', comments) };
}

/** Whether entities of a new file can be addressed one by one. */
function hasKey({ table, head }: Draft): boolean {
  return table.primaryKey.length > 0 || head['key'] !== undefined;
}

function commentOf(draft: Draft): string {
  let comment = ` ${qualifiedName(draft.table)}, mapped by entitygate init. Edit freely: the next run keeps what is here.`;
  if (draft.head['stamp'] === undefined) {
    comment += '\n The stamp is a hash of the columns; read-only dataclasses have none.';
  }
  if (!hasKey(draft) && uniqueColumns(draft.table).length === 0) {
    comment +=
      '\n No key was found, so clients read entities by filter only. Name the columns that identify a row:' +
      '\n key: [COLUMN]';
  }
  return comment;
}
