import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Document, isMap, type YAMLMap } from 'yaml';
import { StartupError } from '../../base/errors.ts';
import { displayPath } from '../../config/document/text-file.ts';
import type { FunctionFile } from '../../config/settings/functions.ts';
import { mentionedRoutines } from './mentions.ts';
import { nameParts } from '../../config/mapping-names.ts';
import { UsedNames } from '../../model/naming.ts';
import { isRequired, RoutineIndex } from '../../model/functions/routine-index.ts';
import { inStableOrder } from '../../schema/snapshot.ts';
import { qualifiedName, type PhysicalSchema, type Routine } from '../../schema/types.ts';
import type { InitContext } from './context.ts';
import type { FileToWrite } from './files.ts';
import { textWith, YAML_STYLE } from './yaml-text.ts';

/** What of the routines a run writes. */
export interface RoutinePlan {
  readonly write: FileToWrite | null;
  /** The names of the functions that are new, and the routines behind them. */
  readonly added: readonly string[];
}

/** What the routines of a run are told by. */
export interface RoutineInput {
  readonly schema: PhysicalSchema;
  readonly prior: PhysicalSchema | null;
  readonly functionFiles: readonly FunctionFile[];
  readonly restore: boolean;
}

/** What such a function's setting says. */
interface RoutineSetting {
  readonly routine: string | { readonly schema: string; readonly name: string };
  readonly parameters?: readonly string[];
  readonly exposed: false;
}

/** The file that routines go into. */
const FILE = 'routines.yaml';

/**
 * Works out what is written of the routines of the chosen schemas: each that no mapping file names yet, as a function of the datastore
 * that is not exposed. What a routine does nobody can tell from its name.
 * @param folder the folder of the mapping files
 * @throws StartupError when the file is written in a way that nothing can be added to
 */
export async function planRoutines(
  { schema, prior, functionFiles, restore }: RoutineInput,
  context: InitContext,
  folder: string,
): Promise<RoutinePlan> {
  const { fold } = context.index;
  const path = join(folder, FILE);
  const before = functionFiles.find(({ file }) => file.path.endsWith(FILE));
  const mentioned = new Set(mentionedRoutines(context.files, functionFiles).map(fold));
  const known = new Set(
    before === undefined || restore ? [] : (prior?.routines ?? []).map(qualifiedName),
  );
  const used = new UsedNames([
    ...context.files.map(({ mapping }) => mapping.dataclass ?? ''),
    ...functionFiles.flatMap(({ content }) => [
      ...Object.keys(content.functions ?? {}),
      ...Object.keys(content.singletons ?? {}),
    ]),
  ]);
  const index = new RoutineIndex(schema);
  const seen = new Set<string>();
  const added = chosenRoutines(schema, context)
    .filter((routine) => {
      const name = qualifiedName(routine);
      // Of several of one name, the first one.
      const isFirst = !seen.has(name);
      seen.add(name);
      return isFirst && !mentioned.has(fold(name)) && !known.has(name);
    })
    .flatMap((routine): (readonly [string, RoutineSetting])[] => {
      const setting = settingOf(routine);
      const why = whyNot(routine, setting, index);
      if (why !== null) {
        context.leaveOut(qualifiedName(routine), why);
        return [];
      }
      const { namer } = context;
      const words = namer.columnWords(routine.name);
      const qualified = namer.member([...namer.columnWords(routine.schema), ...words]);
      return [[used.claim(namer.member(words), qualified), setting]];
    });
  if (added.length === 0) return { write: null, added: [] };
  const text =
    before === undefined ? newText(added) : await mergedText(path, added, before.file.value);
  return {
    write: { path, text },
    added: added.map(([name, { routine }]) => `${name} (${qualifiedName(nameParts(routine))})`),
  };
}

/** The routines of the schemas that a run looks at. */
export function chosenRoutines(schema: PhysicalSchema, { rules, index }: InitContext): Routine[] {
  const chosen = new Set(rules.schemas.map(index.fold));
  return (inStableOrder(schema).routines ?? []).filter(
    (routine) => chosen.size === 0 || chosen.has(index.fold(routine.schema)),
  );
}

function settingOf({ schema, name, parameters }: Routine): RoutineSetting {
  const taken = parameters.flatMap((parameter) =>
    parameter.table === undefined && (parameter.direction === 'in' || isRequired(parameter))
      ? [parameter.name]
      : [],
  );
  return {
    routine: schema.includes('.') || name.includes('.') ? { schema, name } : `${schema}.${name}`,
    ...(taken.length === 0 ? {} : { parameters: taken }),
    exposed: false,
  };
}

/** Why a routine cannot be a function of the datastore; null where it can. */
function whyNot(
  routine: Routine,
  { parameters = [] }: RoutineSetting,
  index: RoutineIndex,
): string | null {
  if (routine.parameters.some(({ table }) => table !== undefined)) {
    return 'it takes a table: it can be a function of a collection, which is given the keys as one';
  }
  const found = index.find(routine, parameters);
  return typeof found === 'string' ? found : null;
}

const GUIDANCE = ` Stored procedures and functions of the database, found by entitygate init --routines. None is exposed: look at what a
 routine does, and say exposed: true, or leave the line out. Edit freely: the next run keeps what is here.
 returns: says what of the answer clients get, such as { dataclass: Employee }; allowedOnHTTPGET: true that it changes nothing.
 What works on one entity, or on a collection of them, goes into the mapping file of its dataclass:
 functions:
   raise: { routine: HR.P_RAISE, key: EMP_NO, parameters: [PCT] }`;

function newText(added: readonly (readonly [string, RoutineSetting])[]): string {
  const document = new Document({ functions: Object.fromEntries(added) });
  const root = document.contents as unknown as YAMLMap;
  for (const { value } of root.items) {
    if (!isMap(value)) continue;
    for (const pair of value.items) (pair.value as { flow?: boolean }).flow = true;
  }
  document.commentBefore = GUIDANCE;
  return document.toString(YAML_STYLE);
}

async function mergedText(
  path: string,
  added: readonly (readonly [string, RoutineSetting])[],
  value: unknown,
): Promise<string> {
  const before = value as Readonly<Record<string, object>>;
  const wanted = { ...before, functions: { ...before['functions'], ...Object.fromEntries(added) } };
  const text = textWith(await readFile(path, 'utf8'), [['functions', added]], wanted);
  if (text !== null) return text;
  const names = added.map(([name]) => name).join(', ');
  throw new StartupError([
    {
      where: displayPath(path),
      message: `nothing can be added to its functions as they are written; add ${names} by hand`,
    },
  ]);
}
