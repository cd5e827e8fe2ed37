import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { StartupError } from '../../base/errors.ts';
import { displayPath, unreadable } from './text-file.ts';
import { readYaml, type YamlFile } from './yaml.ts';

const FILES_AT_ONCE = 32;

/**
 * Reads the `*.yaml` and `*.yml` files of a folder in the order of their names. @param where the position of the setting that names the folder
 * @param read makes what is answered of a file, or throws a StartupError @throws StartupError with the problems of all files
 */
export async function readFolder<Read>(
  folder: string,
  where: string | null,
  read: (file: YamlFile) => Read,
): Promise<Read[]> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
  } catch (error) {
    throw StartupError.at(where, `${displayPath(folder)}: ${unreadable(error, 'folder')}`);
  }
  // A process may not have as many open files as a folder may have.
  const atOnce = pLimit(FILES_AT_ONCE);
  const results = await Promise.allSettled(
    names.map((name) => atOnce(async () => read(await readYaml(join(folder, name))))),
  );
  let more = 0;
  const problems = results.flatMap((result) => {
    if (result.status === 'fulfilled') return [];
    if (!(result.reason instanceof StartupError)) throw result.reason;
    more += result.reason.more;
    return result.reason.problems;
  });
  if (problems.length > 0) throw new StartupError(problems, more);
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
