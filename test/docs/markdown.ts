import { readFileSync } from 'node:fs';

/** The cells of every table row of a Markdown text, with the heading that the table stands below. */
export function tableRows(text: string): { readonly heading: string; readonly cells: string[] }[] {
  let heading = '';
  return withoutCode(text)
    .split('\n')
    .flatMap((line) => {
      if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
      if (!/^\|.*\|\s*$/.test(line) || /^\|(?:\s*:?-+:?\s*\|)+\s*$/.test(line)) return [];
      return [
        {
          heading,
          cells: line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        },
      ];
    });
}

/** Text without what stands between fences. */
export function withoutCode(text: string): string {
  return text.replace(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '');
}

/** The text inside a cell's backticks, or the cell. */
export function plain(cell: string): string {
  return /^`([^`]+)`$/.exec(cell)?.[1] ?? cell;
}

/** Reads a file of the repository. */
export function read(path: string): string {
  return readFileSync(path, 'utf8');
}
