import { nameHint } from '../../base/names.ts';
import type {
  FunctionFile,
  FunctionSetting,
  PlainFunctionSetting,
} from '../../config/settings/functions.ts';
import { nameParts } from '../../config/mapping-names.ts';
import type { YamlFile } from '../../config/document/yaml.ts';
import { qualifiedName, type Routine } from '../../schema/types.ts';
import { FunctionBuilder } from './function-builder.ts';
import type { ApiFunction, AppliesTo, Singleton } from './function-types.ts';
import { isRequired, type RoutineIndex } from './routine-index.ts';
import type { DataclassDraft, Drafts, ModelReport } from '../mapping-context.ts';
import type { Dataclass, ModelSettings } from '../types.ts';

/** What the functions of a model are built with. */
interface FunctionContext {
  readonly routines: RoutineIndex;
  readonly drafts: Drafts;
  readonly report: ModelReport;
  readonly settings: Pick<ModelSettings, 'readOnly'>;
}

/** A function as it is written, and where. */
interface Written {
  readonly name: string;
  readonly fullName: string;
  readonly setting: FunctionSetting;
  readonly file: YamlFile;
  /** The place in the file. */
  readonly path: readonly string[];
  /** The dataclass whose function it is; null for one of the datastore or of a singleton. */
  readonly owner: Dataclass | null;
}

/** Adds the functions of dataclasses to them. Their names stand beside those of attributes. */
export function buildDataclassFunctions(context: FunctionContext): void {
  for (const draft of context.drafts.values()) {
    for (const [name, setting] of Object.entries(draft.context.mapping.functions ?? {})) {
      addFunction(draft, name, setting, context);
    }
  }
}

function addFunction(
  { dataclass, members, functions, context: { source } }: DataclassDraft,
  name: string,
  setting: FunctionSetting,
  context: FunctionContext,
): void {
  const path = ['functions', name];
  if (members.has(name)) {
    context.report.problem(source, path, `${name} is an attribute or relation already`);
    return;
  }
  const fullName = `${dataclass.name}.${name}`;
  const built = buildFunction(
    { name, fullName, setting, file: source.file, path, owner: dataclass },
    context,
  );
  if (built !== null) functions.set(name, built);
}

/** Builds the functions of the datastore and of singletons. */
export function buildDatastoreFunctions(
  files: readonly FunctionFile[],
  context: FunctionContext,
): {
  readonly functions: ReadonlyMap<string, ApiFunction>;
  readonly singletons: ReadonlyMap<string, Singleton>;
} {
  const functions = new Map<string, ApiFunction>();
  const singletons = new Map<string, Singleton>();
  const known = new Set<string>();
  const claim = (source: FunctionFile, path: readonly string[], what: string): boolean => {
    const name = path.at(-1) ?? '';
    const isTaken = known.has(path.join('.')) || context.drafts.has(name);
    known.add(path.join('.'));
    if (isTaken)
      context.report.problem(source, path, `the name ${name} is taken: give ${what} another one`);
    return !isTaken;
  };
  for (const source of files) {
    const { file, content } = source;
    const add = (
      written: Readonly<Record<string, PlainFunctionSetting>>,
      into: Map<string, ApiFunction>,
      group: readonly string[],
    ): void => {
      for (const [name, setting] of Object.entries(written)) {
        const path = [...group, 'functions', name];
        if (group.length === 0 && !claim(source, path, 'the function')) continue;
        const fullName = group.length === 0 ? name : `${group.at(-1) ?? ''}.${name}`;
        const built = buildFunction({ name, fullName, setting, file, path, owner: null }, context);
        if (built !== null) into.set(name, built);
      }
    };
    add(content.functions ?? {}, functions, []);
    for (const [name, { functions: written }] of Object.entries(content.singletons ?? {})) {
      const path = ['singletons', name];
      if (!claim(source, path, 'the singleton')) continue;
      const own = new Map<string, ApiFunction>();
      add(written, own, path);
      if (own.size > 0) singletons.set(name, { name, functions: own });
    }
  }
  return { functions, singletons };
}

/** @returns null for one that clients do not have, and for one that is wrong, which the report says */
function buildFunction(written: Written, context: FunctionContext): ApiFunction | null {
  const { name, fullName, setting, file, path, owner } = written;
  const { report, routines, settings } = context;
  const routine = routines.find(nameParts(setting.routine), takenBy(setting));
  if (typeof routine === 'string') {
    report.problem({ file }, [...path, 'routine'], routine);
    return null;
  }
  const before = report.problems.length;
  const builder = new FunctionBuilder(routine, routines, (at, message) => {
    report.problem({ file }, [...path, ...at], message);
  });
  builder.addClientParameters(setting.parameters);
  if (owner !== null) {
    builder.addKey(setting.key, owner);
    builder.addKeys(setting.keys, owner);
  }
  // One that was named wrongly is not to be told of twice.
  if (report.problems.length === before) checkRequired(builder, routine, report, { file, path });
  const returns = builder.returns(setting.returns, (dataclass) => {
    const draft = context.drafts.get(dataclass);
    if (draft !== undefined) return draft.dataclass;
    if (report.isFaulty(dataclass)) return null;
    const hint = nameHint(dataclass, context.drafts.keys());
    report.problem({ file }, [...path, 'returns'], `there is no dataclass ${dataclass}.${hint}`);
    return null;
  });
  if (!setting.transaction && routine.kind !== 'procedure') {
    const message = `${qualifiedName(routine)} is a function, which cannot keep transactions of its own`;
    report.problem({ file }, [...path, 'transaction'], message);
  }
  if (!setting.transaction && setting.allowedOnHTTPGET) {
    const message = 'needs a transaction, in which the database makes sure that nothing is changed';
    report.problem({ file }, [...path, 'allowedOnHTTPGET'], message);
  }
  if (report.problems.length > before || returns === null || !setting.exposed) return null;
  // What a gateway that changes nothing may call says that it changes nothing.
  if (settings.readOnly && !setting.allowedOnHTTPGET) return null;
  return {
    name,
    fullName,
    appliesTo: appliesTo(setting, owner),
    routine,
    inputs: builder.inputs,
    parameters: builder.parameters,
    returns,
    allowedOnHTTPGET: setting.allowedOnHTTPGET,
    inTransaction: setting.transaction,
  };
}

/** The routine's parameters that a setting names. */
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

function checkRequired(
  { inputs }: FunctionBuilder,
  routine: Routine,
  report: ModelReport,
  { file, path }: Pick<Written, 'file' | 'path'>,
): void {
  const given = new Set(inputs.map(({ parameter }) => parameter));
  const missing = routine.parameters.filter(
    (parameter) => isRequired(parameter) && !given.has(parameter),
  );
  if (missing.length === 0) return;
  const names = missing.map((parameter) => parameter.name).join(', ');
  const message = `${qualifiedName(routine)} has no default for ${names}: name it among the parameters`;
  report.problem({ file }, [...path, 'parameters'], message);
}
