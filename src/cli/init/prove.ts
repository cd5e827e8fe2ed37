import { StartupError, type StartupProblem } from '../../base/errors.ts';
import { displayPath } from '../../config/document/text-file.ts';
import type { FunctionFile } from '../../config/settings/functions.ts';
import { mappingSchema, type MappingFile } from '../../config/mapping.ts';
import { buildModel } from '../../model/build.ts';
import type { ModelSettings } from '../../model/types.ts';
import { qualifiedName, type PhysicalSchema } from '../../schema/types.ts';
import type { InitContext } from './context.ts';
import type { Draft } from './draft.ts';

/** What the gateway would say of the files at its next start. */
export interface Proof {
  /** What keeps it from starting: parts of files that were there before and no longer fit. */
  readonly problems: readonly StartupProblem[];
  readonly warnings: readonly string[];
}

/** Marks places in what is being added; no file's name begins like this. */
const ADDED = '\u0000';

/**
 * Builds the model from the files as they will be. What it refuses of the additions is left out, with the model's own
 * reason, so that nothing that a run adds keeps the gateway from starting.
 */
export function prove(
  drafts: readonly Draft[],
  schema: PhysicalSchema,
  settings: ModelSettings,
  context: InitContext,
  functionFiles: readonly FunctionFile[] = [],
): Proof {
  for (;;) {
    const files = filesOf(drafts, context);
    let problems: readonly StartupProblem[];
    try {
      const { warnings } = buildModel(files, schema, settings, undefined, functionFiles);
      return { problems: [], warnings: warnings.map(readable) };
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      problems = error.problems;
    }
    // What inverts a relation fails with it: the relation itself is what the reason is about.
    const first = problems.filter((problem) => prune(problem, drafts, context, 'to'));
    if (first.length > 0) continue;
    const others = problems.filter((problem) => prune(problem, drafts, context, null));
    if (others.length === 0) {
      return {
        problems: problems.map(({ where, message }) => ({
          where: where === null ? null : readable(where),
          message,
        })),
        warnings: [],
      };
    }
  }

  /** A place in the words of a report. */
  function readable(text: string): string {
    if (!text.startsWith(ADDED)) return text;
    const [place = '', ...rest] = text.slice(1).split(ADDED);
    const [index] = JSON.parse(place) as [number];
    const draft = drafts[index];
    return `${draft === undefined ? '' : displayPath(draft.path)}${rest.join('')}`;
  }
}

/** The settings of a draft's file as it will be. */
export function valueOf({ source, head, attributes, relations }: Draft): Record<string, unknown> {
  const before = (source?.file.value ?? head) as Record<string, unknown>;
  const addedRelations = [...relations].map(([name, { setting }]) => [name, setting] as const);
  return {
    ...before,
    ...(source !== null && attributes.size === 0
      ? {}
      : { attributes: { ...(before['attributes'] ?? {}), ...Object.fromEntries(attributes) } }),
    ...(source !== null && relations.size === 0
      ? {}
      : { relations: { ...(before['relations'] ?? {}), ...Object.fromEntries(addedRelations) } }),
  };
}

function filesOf(drafts: readonly Draft[], { files }: InitContext): MappingFile[] {
  const drafted = new Set(drafts.map(({ source }) => source));
  return [
    ...files.filter((file) => !drafted.has(file)),
    ...drafts.map((draft, index): MappingFile => {
      const value = valueOf(draft);
      return {
        mapping: mappingSchema.parse(value),
        file: {
          path: displayPath(draft.path),
          value,
          locate: (path, part) =>
            draft.source === null || isAdded(draft, path)
              ? `${ADDED}${JSON.stringify([index, ...path])}${ADDED}`
              : draft.source.file.locate(path, part),
        },
      };
    }),
  ];
}

function isAdded(draft: Draft, [section, name]: readonly PropertyKey[]): boolean {
  if (section === 'attributes') return draft.attributes.has(String(name));
  return section === 'relations' && draft.relations.has(String(name));
}

/** Takes out what a problem is about. @returns whether there was something to take out */
function prune(
  problem: StartupProblem,
  drafts: readonly Draft[],
  context: InitContext,
  only: 'to' | null,
): boolean {
  if (problem.where?.startsWith(ADDED) !== true) return false;
  const [place = ''] = problem.where.slice(1).split(ADDED);
  const [index, section, name = ''] = JSON.parse(place) as [number, string?, string?];
  const draft = drafts[index];
  if (draft === undefined) return false;
  const attribute = section === 'attributes' ? draft.attributes.get(name) : undefined;
  if (attribute !== undefined) {
    draft.attributes.delete(name);
    const column = typeof attribute === 'string' ? attribute : attribute.column;
    context.leaveOut(`${qualifiedName(draft.table)}, column ${column}`, problem.message);
    return true;
  }
  const relation = section === 'relations' ? draft.relations.get(name) : undefined;
  if (relation !== undefined) {
    if (only === 'to' && !('to' in relation.setting)) return false;
    draft.relations.delete(name);
    const [foreignKey = '', ...more] = relation.foreignKeys;
    if (more.length > 0) return true;
    context.leaveOut(foreignKey, problem.message);
    removeAll(foreignKey, drafts);
    return true;
  }
  if (
    section === undefined ||
    !(section in draft.head) ||
    !['key', 'timestamp'].includes(section)
  ) {
    return false;
  }
  Reflect.deleteProperty(draft.head, section);
  return true;
}

function removeAll(foreignKey: string, drafts: readonly Draft[]): void {
  for (const { relations } of drafts) {
    for (const [name, relation] of relations) {
      if (relation.foreignKeys.includes(foreignKey)) relations.delete(name);
    }
  }
}
