import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { displayPath } from '../config/document/text-file.ts';
import { loadMappings, type MappingFolder } from '../config/mapping.ts';
import type { ModelSettings } from '../model/types.ts';
import { checkRestriction } from '../run/convert/bind.ts';
import { qualifiedName, type PhysicalSchema } from '../schema/types.ts';
import { UsedNames } from '../model/naming.ts';
import { fileNameOf, stemOf } from './init/draft.ts';
import { findDrift } from './init/drift.ts';
import type { FileToWrite } from './init/files.ts';
import { dataclassOf, NameReplacer } from './init/rename-text.ts';
import { findRenames, type RenamedFile } from './init/renames.ts';
import type { Rules } from './init/rules.ts';

/**
 * Plans to give mapping files the names that the rules make now.
 * @param rulesBefore those that made the names in use
 * @throws StartupError where the files do not fit the database, before or afterwards
 */
export async function planRename(
  { dataclasses, functions }: MappingFolder,
  schema: PhysicalSchema,
  rules: Rules,
  rulesBefore: readonly Rules[],
  config: Config & ModelSettings,
): Promise<{ readonly renamed: readonly RenamedFile[]; readonly writes: readonly FileToWrite[] }> {
  const problemsOf = (folder: MappingFolder) =>
    findDrift(folder.dataclasses, schema, null, config, checkRestriction, folder.functions).errors;
  const problems = problemsOf({ dataclasses, functions });
  if (problems.length > 0) throw new StartupError(problems);
  const renamed = findRenames(dataclasses, schema, rules, rulesBefore);
  if (renamed.length === 0) return { renamed, writes: [] };
  const replacer = new NameReplacer(dataclasses, renamed);
  const paths = [...dataclasses, ...functions].map(({ file }) => file.path);
  const fileNames = fileNamesAfter(paths, renamed);
  const texts = await Promise.all(
    [
      ...dataclasses.map((source) => ({ source, dataclass: dataclassOf(source) })),
      ...functions.map((source) => ({ source, dataclass: null })),
    ].map(async ({ source: { file }, dataclass }) => {
      const name = basename(file.path);
      const before = join(config.mappings, name);
      const path = join(config.mappings, fileNames.get(name) ?? name);
      const was = await readFile(before, 'utf8');
      return { path, before, was, text: replacer.replace(was, dataclass) };
    }),
  );
  const folder = await mkdtemp(join(tmpdir(), 'entitygate-rename-'));
  try {
    for (const { path, text } of texts) await writeFile(join(folder, basename(path)), text);
    const afterwards = problemsOf(await loadMappings(folder));
    if (afterwards.length > 0) {
      const reasons = afterwards.map(({ message }) => message).join('; ');
      throw StartupError.at(
        null,
        `with the new names the files would not match the database: ${reasons}`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return {
    renamed,
    writes: texts.filter(({ path, before, was, text }) => path !== before || was !== text),
  };
}

/** The new names of the files that are called as their dataclass is, by those before. */
function fileNamesAfter(
  paths: readonly string[],
  renamed: readonly RenamedFile[],
): ReadonlyMap<string, string> {
  const following = renamed.flatMap(({ source, changes }) => {
    const before = basename(source.file.path);
    const name = changes.find(({ what }) => what === 'dataclass');
    const follows = name !== undefined && stemOf(before) === fileNameOf(name.from);
    return follows ? [{ before, wanted: fileNameOf(name.to) }] : [];
  });
  const leaving = new Set(following.map(({ before }) => before));
  const staying = paths.map((path) => basename(path)).filter((name) => !leaving.has(name));
  const names = new UsedNames(staying.map(stemOf));
  return new Map(following.map(({ before, wanted }) => [before, `${names.claim(wanted)}.yaml`]));
}

/** Shows old and new names by file, and what changes for clients. */
export function renameReport(
  renamed: readonly RenamedFile[],
  configLines: readonly string[],
): string {
  if (renamed.length === 0) return 'All names follow the rules or were given by hand.\n';
  const files = renamed.map(
    ({ source, table, changes }) =>
      `${source.file.path} (${qualifiedName(table)})\n` +
      changes.map(({ what, from, to }) => `  ${what.padEnd(10)} ${from} → ${to}\n`).join(''),
  );
  const urls = renamed.flatMap(({ changes }) =>
    changes
      .filter(({ what }) => what === 'dataclass')
      .map(({ from, to }) => `  /rest/${from} → /rest/${to}\n`),
  );
  const members = renamed.flatMap(({ dataclass, changes }) =>
    changes.some(({ what }) => what === 'attribute' || what === 'relation') ? [dataclass] : [],
  );
  return (
    files.join('\n') +
    '\nThe API changes with the names.\n' +
    (urls.length === 0 ? '' : `Clients must change these URLs:\n${urls.join('')}`) +
    (members.length === 0
      ? ''
      : `Clients must change the names of attributes and relations of:\n  ${members.join(', ')}\n`) +
    'Generate client types and OpenAPI documents again: entitygate types, entitygate openapi.\n' +
    (configLines.length === 0
      ? ''
      : `Change the roles by hand:\n${configLines.map((line) => `  ${line}\n`).join('')}`)
  );
}

/** Finds the lines of a configuration's roles that use an old name. */
export function rolesNaming(text: string, path: string, renamed: readonly RenamedFile[]): string[] {
  const names = new Set(renamed.flatMap(({ changes }) => changes.map(({ from }) => from)));
  let isRoles = false;
  return text.split('\n').flatMap((line, index) => {
    if (/^\S/.test(line) && !line.startsWith('#')) isRoles = line.startsWith('roles:');
    const words = isRoles ? (line.match(/[\p{L}\p{N}_]+/gu) ?? []) : [];
    const used = [...new Set(words)].filter((word) => names.has(word));
    return used.length === 0 ? [] : [`${displayPath(path)}:${index + 1}: ${used.join(', ')}`];
  });
}
