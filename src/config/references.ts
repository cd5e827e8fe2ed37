import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StartupError, type StartupProblem } from '../base/errors.ts';
import { fieldValue, isConnectionString } from './connection-string.ts';
import { unreadable, type YamlFile } from './yaml.ts';

/** `${ENV:NAME}` or `${FILE:path}` inside a text of the configuration. */
const REFERENCE = /\$\{(ENV|FILE):([^}]*)\}/g;

/**
 * Puts the values of environment variables and files in the place of `${ENV:NAME}` and `${FILE:path}`, so that secrets
 * stand outside the file. Inside a URL the value is percent-encoded, inside a connection string it is quoted: it is a
 * part of it, whatever characters it has.
 * The line break that ends a file is no part of its value.
 * @param folder what relative paths start from
 * @throws StartupError with every variable that is not set and every file that cannot be read
 */
export async function resolveReferences(
  file: YamlFile,
  environment: NodeJS.ProcessEnv,
  folder: string,
): Promise<YamlFile> {
  const problems: StartupProblem[] = [];
  const lookUp = async (kind: string, name: string, path: readonly string[]): Promise<string> => {
    const problem = (message: string): string => {
      problems.push({ where: file.locate(path), message });
      return '';
    };
    if (kind === 'ENV') {
      return environment[name] ?? problem(`the environment variable ${name} is not set`);
    }
    try {
      return (await readFile(resolve(folder, name), 'utf8')).replace(/\r?\n$/, '');
    } catch (error) {
      return problem(`${name}: ${unreadable(error as NodeJS.ErrnoException, 'file')}`);
    }
  };
  const walk = async (value: unknown, path: readonly string[]): Promise<unknown> => {
    if (typeof value === 'string') {
      const isConnection = path.join('.') === 'database.url';
      return replace(value, isConnection, (kind, name) => lookUp(kind, name, path));
    }
    if (Array.isArray(value)) {
      return Promise.all(value.map((item, index) => walk(item, [...path, String(index)])));
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(
      async ([key, item]) => [key, await walk(item, [...path, key])] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  };
  const value = await walk(file.value, []);
  if (problems.length > 0) throw new StartupError(problems);
  return { ...file, value };
}

async function replace(
  text: string,
  isConnection: boolean,
  lookUp: (kind: string, name: string) => Promise<string>,
): Promise<string> {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [whole, kind = '', name = ''] = match;
    result += text.slice(end, match.index);
    end = match.index + whole.length;
    const value = await lookUp(kind, name);
    if (/^[a-z]+:\/\//i.test(result)) result += encodeURIComponent(value);
    else if (isConnection && isConnectionString(result)) {
      result += fieldValue(value, result, text.slice(end));
    } else result += value;
  }
  return result + text.slice(end);
}
