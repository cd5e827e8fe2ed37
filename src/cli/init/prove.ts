import { StartupError, type StartupProblem } from '../../base/errors.ts';
import { displayPath } from '../../config/document/text-file.ts';
import { columnOf, mappingSchema, type MappingFile } from '../../config/mapping.ts';
import { buildModel } from '../../model/build.ts';
import type { ModelSettings } from '../../model/types.ts';
import { qualifiedName } from '../../schema/types.ts';
import type { InitContext } from './context.ts';
import { type Draft, valueOf } from './draft.ts';

/** What the gateway would say of the files at its next start. */
export interface Proof {
  /** Errors of parts of files that existed before and no longer fit. */
  readonly problems: readonly StartupProblem[];
  readonly warnings: readonly string[];
}

/** Encloses the place of something added behind the path of its file; no file's name has this character. */
const MARK = '\u0000';

/** Builds the model from the files as they will be, and leaves out additions that it refuses: no addition may keep the gateway from starting. */
export function prove(
  drafts: readonly Draft[],
  settings: ModelSettings,
  context: InitContext,
): Proof {
  const { input, functionFiles } = context;
  for (;;) {
    const files = filesOf(drafts, context);
    let problems: readonly StartupProblem[];
    try {
      const { warnings } = buildModel(files, input.schema, settings, undefined, functionFiles);
      return { problems: [], warnings: warnings.map(withoutMarks) };
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      problems = error.problems;
    }
    // An inverse fails with the relation that it inverts: only the relation is to blame.
    const first = problems.filter((problem) => prune(problem, drafts, context, false));
    if (first.length > 0) continue;
    const others = problems.filter((problem) => prune(problem, drafts, context, true));
    if (others.length > 0) continue;
    const shown = problems.map(({ where, message }) => ({
      where: where === null ? null : withoutMarks(where),
      message,
    }));
    return { problems: shown, warnings: [] };
  }
}

function withoutMarks(text: string): string {
  const [path = '', , ...rest] = text.split(MARK);
  return path + rest.join('');
}

function filesOf(drafts: readonly Draft[], { files }: InitContext): MappingFile[] {
  const drafted = new Set(drafts.map(({ source }) => source));
  return [
    ...files.filter((file) => !drafted.has(file)),
    ...drafts.map((draft, index): MappingFile => {
      const value = valueOf(draft);
      const shown = displayPath(draft.path);
      return {
        mapping: mappingSchema.parse(value),
        file: {
          path: shown,
          value,
          locate: (path, part) =>
            draft.source === null || isAdded(draft, path)
              ? `${shown}${MARK}${JSON.stringify([index, ...path])}${MARK}`
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

/** Takes out what a problem is about; returns false where that is nothing. @param inverses whether relations that depend on others are taken out, too */
function prune(
  { where, message }: StartupProblem,
  drafts: readonly Draft[],
  context: InitContext,
  inverses: boolean,
): boolean {
  const place = where?.split(MARK)[1];
  if (place === undefined) return false;
  const [index, section = '', name = ''] = JSON.parse(place) as [number, string?, string?];
  const draft = drafts[index];
  const attribute = section === 'attributes' ? draft?.attributes.get(name) : undefined;
  const relation = section === 'relations' ? draft?.relations.get(name) : undefined;
  if (draft === undefined) return false;
  if (attribute !== undefined) {
    draft.attributes.delete(name);
    context.leaveOut(`${qualifiedName(draft.table)}, column ${columnOf(attribute) ?? ''}`, message);
    return true;
  }
  if (relation !== undefined) {
    if (!inverses && !('to' in relation.setting)) return false;
    draft.relations.delete(name);
    const [foreignKey = '', ...more] = relation.foreignKeys;
    if (more.length > 0) return true;
    context.leaveOut(foreignKey, message);
    for (const { relations } of drafts) {
      for (const [name, { foreignKeys }] of relations) {
        if (foreignKeys.includes(foreignKey)) relations.delete(name);
      }
    }
    return true;
  }
  if (!['key', 'timestamp'].includes(section)) return false;
  return section in draft.head && Reflect.deleteProperty(draft.head, section);
}
