import type {
  FunctionFile,
  FunctionSetting,
  PlainFunctionSetting,
} from '../../config/settings/functions.ts';
import { nameParts } from '../../config/settings/fields.ts';
import { qualifiedName } from '../../schema/types.ts';
import { FunctionBuilder, type RoutineIndex } from './function-builder.ts';
import type { ApiFunction, AppliesTo, Singleton } from './function-types.ts';
import type { Drafts, ModelReport, Reported } from '../mapping-context.ts';
import type { Dataclass, Model, ModelSettings } from '../types.ts';

interface FunctionContext {
  readonly routines: RoutineIndex;
  readonly drafts: Drafts;
  readonly report: ModelReport;
  readonly settings: Pick<ModelSettings, 'readOnly'>;
}

/** A function in a mapping file. */
interface WrittenFunction {
  readonly name: string;
  readonly fullName: string;
  readonly setting: FunctionSetting;
  readonly source: Reported;
  /** The path of the setting in the file. */
  readonly path: readonly string[];
  /** The dataclass that has the function; null for one of the datastore or of a singleton. */
  readonly owner: Dataclass | null;
}

/** Adds the functions of dataclasses to them. Their names are among those of attributes. */
export function buildDataclassFunctions(context: FunctionContext): void {
  for (const { dataclass: owner, members, functions, context: mapped } of context.drafts.values()) {
    const { source } = mapped;
    for (const [name, setting] of Object.entries(mapped.mapping.functions ?? {})) {
      const path = ['functions', name];
      if (members.has(name)) {
        mapped.problem(path, `${name} is an attribute or relation already`);
        continue;
      }
      const fullName = `${owner.name}.${name}`;
      const built = buildFunction({ name, fullName, setting, source, path, owner }, context);
      if (built !== null) functions.set(name, built);
    }
  }
}

/** Builds the functions of the datastore and of singletons. */
export function buildDatastoreFunctions(
  files: readonly FunctionFile[],
  context: FunctionContext,
): Pick<Model, 'functions' | 'singletons'> {
  const functions = new Map<string, ApiFunction>();
  const singletons = new Map<string, Singleton>();
  const known = new Set<string>();
  const claim = (source: Reported, path: readonly string[], what: string): boolean => {
    const name = path.at(-1) ?? '';
    const isTaken = known.has(path.join('.')) || context.drafts.has(name);
    known.add(path.join('.'));
    if (isTaken) {
      context.report.problem(source, path, `the name ${name} is taken: give ${what} another one`);
    }
    return !isTaken;
  };
  for (const source of files) {
    const add = (
      written: Readonly<Record<string, PlainFunctionSetting>>,
      into: Map<string, ApiFunction>,
      singleton: string | null,
    ): void => {
      for (const [name, setting] of Object.entries(written)) {
        const group = singleton === null ? [] : ['singletons', singleton];
        const path = [...group, 'functions', name];
        if (singleton === null && !claim(source, path, 'the function')) continue;
        const fullName = singleton === null ? name : `${singleton}.${name}`;
        const one = { name, fullName, setting, source, path, owner: null };
        const built = buildFunction(one, context);
        if (built !== null) into.set(name, built);
      }
    };
    add(source.content.functions ?? {}, functions, null);
    for (const [name, singleton] of Object.entries(source.content.singletons ?? {})) {
      if (!claim(source, ['singletons', name], 'the singleton')) continue;
      const own = new Map<string, ApiFunction>();
      add(singleton.functions, own, name);
      if (own.size > 0) singletons.set(name, { name, functions: own });
    }
  }
  return { functions, singletons };
}

/** Builds a function; null for one that clients do not have, and for one that is wrong, which is reported. */
function buildFunction(written: WrittenFunction, context: FunctionContext): ApiFunction | null {
  const { name, fullName, setting, source, path, owner } = written;
  const { report, routines, settings } = context;
  const problem = (at: readonly string[], message: string): null =>
    report.problem(source, [...path, ...at], message);
  const routine = routines.find(nameParts(setting.routine), takenBy(setting));
  if (typeof routine === 'string') return problem(['routine'], routine);
  const before = report.problems.length;
  const builder = new FunctionBuilder(routine, routines, problem);
  builder.addClientParameters(setting.parameters);
  if (owner !== null) {
    builder.addKey(setting.key, owner);
    builder.addKeys(setting.keys, owner);
  }
  // A parameter whose name is wrong is reported once.
  if (report.problems.length === before) builder.checkRequired();
  const returns = builder.returns(
    setting.returns,
    (dataclass) =>
      report.dataclass(dataclass, context.drafts, source, [...path, 'returns'])?.dataclass ?? null,
  );
  if (!setting.transaction && routine.kind !== 'procedure') {
    const message = `${qualifiedName(routine)} is a function, which cannot keep transactions of its own`;
    problem(['transaction'], message);
  }
  if (!setting.transaction && setting.allowedOnHTTPGET) {
    const message = 'needs a transaction, in which the database makes sure that nothing is changed';
    problem(['allowedOnHTTPGET'], message);
  }
  if (report.problems.length > before || returns === null || !setting.exposed) return null;
  // A read-only gateway calls only functions that are said to change nothing.
  if (settings.readOnly && !setting.allowedOnHTTPGET) return null;
  return {
    name,
    fullName,
    description: setting.description ?? null,
    appliesTo: appliesTo(setting, owner),
    routine,
    inputs: builder.inputs,
    parameters: builder.parameters,
    returns,
    allowedOnHTTPGET: setting.allowedOnHTTPGET,
    inTransaction: setting.transaction,
  };
}

/** The names of the routine's parameters in a setting. */
function takenBy({ parameters, key, keys }: FunctionSetting): string[] {
  return [
    ...parameters.map((parameter) => (typeof parameter === 'string' ? parameter : parameter.name)),
    ...(typeof key === 'string' ? [key] : Object.values(key ?? {})),
    ...(keys === undefined ? [] : [keys]),
  ];
}

function appliesTo({ key, keys }: FunctionSetting, owner: Dataclass | null): AppliesTo {
  if (owner === null) return 'dataStore';
  if (key !== undefined) return 'entity';
  return keys === undefined ? 'dataClass' : 'entityCollection';
}
