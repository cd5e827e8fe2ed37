/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters -- who reads a table knows what its cells hold */
import { parse } from 'yaml';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * The rows of a table for `test.each`: a line each, its cells apart by ` | `, without the blanks around them; a line that begins with `| ` goes on with the row
 * above. `\n`, `\u0020` and values in `${…}` are characters of their cells; a line that begins with `# ` is for readers.
 */
export function rows<Row extends readonly (string | undefined)[] = string[]>(
  { raw }: TemplateStringsArray,
  ...values: readonly string[]
): readonly Row[] {
  const character = (_: string, code?: string, sign = '', value?: string): string => {
    if (value !== undefined) return values[Number(value)] ?? '';
    return code === undefined ? (ESCAPES[sign] ?? sign) : String.fromCharCode(parseInt(code, 16));
  };
  return raw
    .reduce((before, after, index) => `${before}\0${index - 1};${after}`)
    .replace(/\n *# .*/g, '')
    .replace(/\n *\| /g, ' | ')
    .trim()
    .split('\n')
    .map((line) => line.split(/ \|(?= |$)/))
    .map((cells) =>
      cells.map((cell) => cell.trim().replace(/\\(?:u(.{4})|(.))|\0(\d+);/g, character)),
    )
    .map((cells) => cells as readonly (string | undefined)[] as Row);
}

/** The value of a cell that is written as in YAML. */
export const parsed = <Value = object>(cell: string): Value => parse(cell) as Value;
