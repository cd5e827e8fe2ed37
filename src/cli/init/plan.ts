import { readFile } from 'node:fs/promises';
import type { StartupProblem } from '../../base/errors.ts';
import type { ModelSettings } from '../../model/settings.ts';
import type { PhysicalSchema, Table } from '../../schema/types.ts';
import { addAttributes, addHead } from './attributes.ts';
import { InitContext, type InitInput, type LeftOut } from './context.ts';
import { beginDrafts, type Draft } from './draft.ts';
import { exposureOf, type Exposure } from './exposure.ts';
import type { FileToWrite } from './files.ts';
import { proposals, type Proposal } from './proposals.ts';
import { prove } from './prove.ts';
import { chosenRoutines, planRoutines } from './routines.ts';
import { addRelations } from './relations.ts';
import { hasKey, isChanged, mergedText, newFileText } from './render.ts';

/** What was added to a file that was there. */
export interface ChangedFile {
  readonly path: string;
  readonly names: readonly string[];
}

/** What a run would write, and what there is to say about it. */
export interface InitPlan {
  readonly writes: readonly FileToWrite[];
  readonly created: readonly Draft[];
  readonly changed: readonly ChangedFile[];
  /** Functions that were added, and the routines behind them. */
  readonly functions: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** Tables whose files were removed after an earlier run. */
  readonly removed: readonly Table[];
  /** New files whose entities are read by filter only. */
  readonly keyless: readonly Draft[];
  /** What of the mapped columns is withheld from clients, and what somebody should look at. */
  readonly exposure: Exposure;
  /** Columns of many tables that could be their timestamp or stamp. */
  readonly proposals: readonly Proposal[];
  /** What files name and the database no longer has. */
  readonly gone: readonly StartupProblem[];
  readonly warnings: readonly string[];
  /** The tables that were looked at: what the next run compares with. */
  readonly seen: PhysicalSchema;
}

/**
 * Works out all that a run of `init` writes, without writing it.
 * @param folder the folder of the mapping files
 * @throws StartupError when a file is written in a way that nothing can be added to
 */
export async function planInit(
  input: InitInput,
  folder: string,
  settings: ModelSettings,
): Promise<InitPlan> {
  const context = new InitContext(input);
  const { all: drafts, removed } = beginDrafts(context, folder);
  for (const draft of drafts) {
    addHead(draft, context);
    addAttributes(draft, context);
  }
  addRelations(drafts, context);
  const { schema, functionFiles = [] } = input;
  const { problems, warnings } = prove(drafts, schema, settings, context, functionFiles);
  const routines =
    input.routines === true
      ? await planRoutines({ ...input, functionFiles }, context, folder)
      : { write: null, added: [] };
  const changing = drafts.filter(isChanged);
  const created = drafts.filter(({ source }) => source === null);
  return {
    writes: [
      ...(await Promise.all(changing.map(toWrite))),
      ...(routines.write === null ? [] : [routines.write]),
    ],
    functions: routines.added,
    created,
    changed: changing
      .filter(({ source }) => source !== null)
      .map(({ path, attributes, relations }) => ({
        path,
        names: [...attributes.keys(), ...relations.keys()],
      })),
    leftOut: context.leftOut.toSorted((a, b) => (a.what < b.what ? -1 : 1)),
    removed,
    keyless: created.filter((draft) => !hasKey(draft)),
    exposure: exposureOf(drafts, context.index.fold),
    proposals: proposals(context.tables, input.rules, context.index.fold),
    gone: problems,
    warnings,
    seen: {
      ...schema,
      tables: context.tables,
      ...(schema.routines === undefined ? {} : { routines: chosenRoutines(schema, context) }),
    },
  };
}

async function toWrite(draft: Draft): Promise<FileToWrite> {
  const { path, source } = draft;
  return {
    path,
    text: source === null ? newFileText(draft) : mergedText(await readFile(path, 'utf8'), draft),
  };
}

/** How many tables and views of each schema there are: `HR 9, SALES 9`. */
export function countBySchema(tables: readonly Table[]): string {
  const counts = new Map<string, number>();
  for (const { schema } of tables) counts.set(schema, (counts.get(schema) ?? 0) + 1);
  return [...counts].map(([schema, count]) => `${schema} ${count}`).join(', ');
}
