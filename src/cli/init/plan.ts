import { readFile } from 'node:fs/promises';
import { Document, isMap, type YAMLMap } from 'yaml';
import { StartupError, type StartupProblem } from '../../base/errors.ts';
import type { ModelSettings } from '../../model/types.ts';
import { type Column, type PhysicalSchema, qualifiedName, type Table } from '../../schema/types.ts';
import { addAttributes, addHead } from './attributes.ts';
import { InitContext, type InitInput, type LeftOut } from './context.ts';
import { beginDrafts, type Draft } from './draft.ts';
import { type Exposure, exposureOf } from './exposure.ts';
import { type FileToWrite, isLastChange, isVersion } from './files.ts';
import { prove, valueOf } from './prove.ts';
import { chosenRoutines, planRoutines } from './routines.ts';
import { addRelations } from './relations.ts';
import type { Rules } from './rules.ts';
import { displayPath } from '../../config/document/text-file.ts';
import { uniqueColumns } from '../../model/key.ts';
import { setFlow, textWith, YAML_STYLE } from './yaml-text.ts';

/** A column that many tables have, and the option of `init` that would make something of it. */
interface Proposal {
  readonly column: string;
  readonly option: '--timestamp-column' | '--stamp-column';
  /** How many tables have it. */
  readonly tables: number;
}

/** A column of fewer tables is one of these tables, not one of the house. */
const MANY = 3;

/**
 * The columns that look like the time of the last change, or like a version, in many tables, and that no rule names. Only people
 * know whether every program sets them, so that they are proposed and not taken.
 */
function proposals(
  tables: readonly Table[],
  { stampColumns, timestampColumns }: Rules,
  fold: (name: string) => string,
): Proposal[] {
  const named = new Set([...stampColumns, ...timestampColumns].map(fold));
  const found = new Map<string, Proposal>();
  for (const column of tables
    .filter(({ kind }) => kind === 'table')
    .flatMap((table) => table.columns)) {
    const option = optionFor(column);
    if (option === null || named.has(fold(column.name))) continue;
    const key = `${option} ${fold(column.name)}`;
    const { tables: before } = found.get(key) ?? { tables: 0 };
    found.set(key, { column: column.name, option, tables: before + 1 });
  }
  return [...found.values()]
    .filter(({ tables: count }) => count >= MANY)
    .toSorted((a, b) => b.tables - a.tables || (a.column < b.column ? -1 : 1));
}

function optionFor(column: Column): Proposal['option'] | null {
  if (isLastChange(column)) return '--timestamp-column';
  return isVersion(column) ? '--stamp-column' : null;
}

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

/** Whether a run has something to write of a draft. */
function isChanged({ source, attributes, relations }: Draft): boolean {
  return source === null || attributes.size > 0 || relations.size > 0;
}

/** Whether entities of a draft's table can be addressed one by one; of a new file only. */
function hasKey({ table, head }: Draft): boolean {
  return table.primaryKey.length > 0 || head['key'] !== undefined;
}

/** The text of a new mapping file. */
function newFileText(draft: Draft): string {
  const document = new Document(valueOf(draft));
  const root = document.contents as unknown as YAMLMap;
  for (const { key, value } of root.items) {
    if (!isMap(value) || !['attributes', 'relations'].includes(String(key))) {
      setFlow(value);
    } else if (value.items.length === 0) {
      value.flow = true;
    } else {
      for (const pair of value.items) setFlow(pair.value);
    }
  }
  document.commentBefore =
    ` ${qualifiedName(draft.table)}, mapped by entitygate init.` +
    ' Edit freely: the next run keeps what is here.';
  if (draft.head['stamp'] === undefined) {
    document.commentBefore += '\n The stamp is a hash, or none where it is read only.';
  }
  if (!hasKey(draft) && uniqueColumns(draft.table).length === 0) {
    document.commentBefore +=
      '\n No key is known, so that entities are read by filter only. Name the columns that tell rows apart:' +
      '\n key: [COLUMN]';
  }
  return document.toString(YAML_STYLE);
}

/**
 * The text of a file with what is added to it.
 * @throws StartupError when the file is written in a way that nothing can be added to
 */
function mergedText(text: string, draft: Draft): string {
  const relations = [...draft.relations].map(([name, { setting }]) => [name, setting] as const);
  const additions = [
    ['attributes', [...draft.attributes]],
    ['relations', relations],
  ] as const;
  const merged = textWith(text, additions, valueOf(draft));
  if (merged !== null) return merged;
  const names = [...draft.attributes.keys(), ...draft.relations.keys()].join(', ');
  throw new StartupError([
    {
      where: displayPath(draft.path),
      message: `nothing can be added to its sections as they are written; add ${names} by hand`,
    },
  ]);
}
