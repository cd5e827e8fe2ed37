import { join } from 'node:path';
import { nameParts } from '../../config/settings/fields.ts';
import { isRequired, RoutineIndex } from '../../model/functions/function-builder.ts';
import { UsedNames } from '../../model/naming.ts';
import { qualifiedName, type Routine } from '../../schema/types.ts';
import { databaseName } from './attributes.ts';
import type { InitContext } from './context.ts';
import type { FileToWrite } from './files.ts';
import { mentionedRoutines } from './mentions.ts';
import { mergedText, newText } from './yaml-text.ts';

export interface RoutinePlan {
  readonly write: FileToWrite | null;
  /** The names of the functions, and the routines behind them. */
  readonly added: readonly string[];
}

interface RoutineSetting {
  readonly routine: ReturnType<typeof databaseName>;
  readonly parameters?: readonly string[];
  readonly exposed: false;
}

const FILE = 'routines.yaml';

const GUIDANCE = ` Stored procedures and functions of the database, found by entitygate init --routines. Edit freely: the next run keeps what is here.
 None is exposed. Look at what a routine does before you set exposed: true.
 Set returns: to what clients get, such as { dataclass: Employee }, and allowedOnHTTPGET: true if it changes nothing.
 A function of one entity, or of a collection, goes into the mapping file of its dataclass:
 functions:
   raise: { routine: HR.P_RAISE, key: EMP_NO, parameters: [PCT] }`;

/**
 * Plans a function for each routine that no mapping file names yet. None is exposed: names do not tell what routines do.
 * @throws StartupError when nothing can be added to the file as it is written
 */
export async function planRoutines(context: InitContext, folder: string): Promise<RoutinePlan> {
  const path = join(folder, FILE);
  const before = context.functionFiles.find(({ file }) => file.path.endsWith(FILE));
  const added = newFunctions(context, before !== undefined);
  if (added.length === 0) return { write: null, added: [] };
  const value = (before?.file.value ?? {}) as Readonly<Record<string, object>>;
  const wanted = {
    ...value,
    functions: { ...value['functions'], ...Object.fromEntries(added) },
  };
  const text =
    before === undefined
      ? newText(wanted, ['functions'], GUIDANCE)
      : await mergedText(path, { functions: added }, wanted, 'functions');
  return {
    write: { path, text },
    added: added.map(([name, { routine }]) => `${name} (${qualifiedName(nameParts(routine))})`),
  };
}

/** @param isLater whether an earlier run wrote routines: those that were removed then stay away */
function newFunctions(
  context: InitContext,
  isLater: boolean,
): (readonly [name: string, setting: RoutineSetting])[] {
  const { input, files, functionFiles, namer } = context;
  const { fold } = context.index;
  const mentioned = new Set(mentionedRoutines(files, functionFiles).map(fold));
  const known = isLater && !input.restore ? (input.prior?.routines ?? []) : [];
  // Of several routines of one name, the first one becomes a function.
  const seen = new Set(known.map(qualifiedName));
  const used = new UsedNames([
    ...files.map(({ mapping }) => mapping.dataclass ?? ''),
    ...functionFiles.flatMap(({ content }) => [
      ...Object.keys(content.functions ?? {}),
      ...Object.keys(content.singletons ?? {}),
    ]),
  ]);
  const index = new RoutineIndex(input.schema);
  return context.routines.flatMap((routine) => {
    const name = qualifiedName(routine);
    if (seen.has(name) || mentioned.has(fold(name))) return [];
    seen.add(name);
    const setting = settingOf(routine);
    const why = whyNot(routine, setting, index);
    if (why !== null) {
      context.leaveOut(name, why);
      return [];
    }
    const words = namer.columnWords(routine.name);
    const qualified = namer.member([...namer.columnWords(routine.schema), ...words]);
    return [[used.claim(namer.member(words), qualified), setting] as const];
  });
}

function settingOf(routine: Routine): RoutineSetting {
  const taken = routine.parameters.filter(
    (parameter) =>
      parameter.table === undefined && (parameter.direction === 'in' || isRequired(parameter)),
  );
  return {
    routine: databaseName(routine),
    ...(taken.length === 0 ? {} : { parameters: taken.map(({ name }) => name) }),
    exposed: false,
  };
}

/** Says why a routine cannot be a function of the datastore; null where it can. */
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
