import { resolve } from 'node:path';
import { MOST_TOLD, StartupError, type StartupProblem } from '../../base/errors.ts';
import { fieldValue, isConnectionString } from '../settings/connection-string.ts';
import { FileProblem, readText, unreadable } from './text-file.ts';
import type { YamlFile } from './yaml.ts';

/** `${ENV:NAME}` or `${FILE:path}` inside a text of the configuration; the closing bracket may be missing. */
const REFERENCE = /\$\{(ENV|FILE):([^{}]*)(\}?)/g;

const MOST_REFERENCES = 100;

const MOST_BYTES = 1_048_576;

/** A text with references: the object and the key that hold it, and the path to it. */
interface Referring {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly text: string;
  readonly path: readonly string[];
}

/** Reports what is wrong with a reference, and returns a value to go on with. */
type Report = (message: string) => string;

/**
 * Replaces `${ENV:NAME}` and `${FILE:path}` by the values of environment variables and files, so that secrets stand outside the file. A value inside a
 * URL is percent-encoded, inside a connection string quoted; the line break that ends a file is dropped. Paths are relative to the folder.
 * @throws StartupError with every variable that is not set and every file that cannot be read
 */
export async function resolveReferences(
  file: YamlFile,
  environment: NodeJS.ProcessEnv,
  folder: string,
): Promise<YamlFile> {
  const problems: StartupProblem[] = [];
  const root = { value: structuredClone(file.value) };
  for (const { holder, key, text, path } of referring(root, 'value', [])) {
    // A message shows no more than these.
    if (problems.length > MOST_TOLD) break;
    const report = (message: string): string => {
      problems.push({ where: file.locate(path), message });
      return '';
    };
    const isConnection = path.join('.') === 'database.url';
    const value = await replace(text, isConnection, report, (kind, name) => {
      if (kind === 'FILE') return ofFile(name, folder, report);
      const known = Object.hasOwn(environment, name) ? environment[name] : undefined;
      return known ?? report(`the environment variable ${name} is not set`);
    });
    Object.defineProperty(holder, key, { value });
  }
  if (problems.length > 0) throw new StartupError(problems);
  return { ...file, value: root.value };
}

/** Names the environment variables that the text of a configuration refers to. */
export function variablesIn(text: string): string[] {
  const references = [...text.matchAll(REFERENCE)];
  return references.flatMap(([, kind, name]) => (kind === 'ENV' ? (name ?? []) : []));
}

/** Finds the texts with references in a value; what several aliases stand for, once. */
function* referring(
  holder: Record<string, unknown>,
  key: string,
  path: readonly string[],
  seen = new Set<unknown>(),
): Generator<Referring> {
  const value = holder[key];
  if (typeof value === 'string' && value.includes('${')) {
    yield { holder, key, text: value, path };
  } else if (typeof value === 'object' && value !== null && !seen.has(value)) {
    seen.add(value);
    for (const inner of Object.keys(value)) {
      yield* referring(value as Record<string, unknown>, inner, [...path, inner], seen);
    }
  }
}

async function ofFile(name: string, folder: string, report: Report): Promise<string> {
  try {
    return (await readText(resolve(folder, name), MOST_BYTES)).replace(/\r?\n$/, '');
  } catch (error) {
    const position = error instanceof FileProblem ? error.position : null;
    const line = position === null ? '' : ` (line ${position.line})`;
    return report(`${name}: ${unreadable(error, 'file')}${line}`);
  }
}

async function replace(
  text: string,
  isConnection: boolean,
  report: Report,
  lookUp: (kind: string, name: string) => string | Promise<string>,
): Promise<string> {
  let result = '';
  let end = 0;
  const matches = [...text.matchAll(REFERENCE)];
  const open = matches.find(([, , , bracket]) => bracket === '')?.[1];
  if (open !== undefined) {
    return report(`\${${open}: has no } at its end: expected \${${open}:…}`);
  }
  if (matches.length > MOST_REFERENCES) {
    return report(`holds ${matches.length} references: expected ${MOST_REFERENCES} at most`);
  }
  for (const match of matches) {
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
