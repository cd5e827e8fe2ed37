import { readFile } from 'node:fs/promises';

/** The files of the client, each behind those that it needs to begin with. */
export const CLIENT_FILES = [
  'types',
  'json',
  'query',
  'model',
  'connection',
  'dataclass',
  'changes',
  'client',
] as const;

/** Imports of one file of the client from another: in one text they need none. */
const OWN_IMPORT = /^import [^;]* from '\.\/[\w-]+\.ts';\n/gm;

/** Joins the client to one text that needs no other file. The build copies its source beside the program. */
export async function clientText(): Promise<string> {
  const texts = await Promise.all(
    CLIENT_FILES.map((name) =>
      readFile(new URL(`../../client/${name}.ts`, import.meta.url), 'utf8'),
    ),
  );
  return texts.map((text) => text.replace(OWN_IMPORT, '').trim()).join('\n\n') + '\n';
}

/** The names of a text of TypeScript. */
export interface TextNames {
  readonly exported: ReadonlySet<string>;
  /** All names that begin with a capital, its own and those of the platform that it uses. */
  readonly taken: ReadonlySet<string>;
}

/** Collects the names of the client, among which those of a model must not be. */
export function namesOf(text: string): TextNames {
  const code = withoutComments(text);
  const exported = code.matchAll(/^export (?:interface|type|class|const|function) (\w+)/gm);
  return {
    exported: new Set(Array.from(exported, ([, name = '']) => name)),
    taken: new Set(code.match(/\b[A-Z]\w*/g)),
  };
}

/** A text of TypeScript without its comments that stand on lines of their own. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '');
}
