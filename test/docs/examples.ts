import { expect } from 'vitest';
import { read } from './markdown.ts';

/** A command of a document, and what the document shows as printed: null where it shows nothing. */
export interface Example {
  readonly line: number;
  readonly command: string;
  readonly shown: { readonly language: string; readonly text: string } | null;
}

/** Languages of what commands print. */
const printed = new Set(['json', 'http', 'text', 'csv', 'sql']);

/** A fenced block of a document. */
export interface Block {
  /** The line of its fence. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** Reads the fenced blocks of a document, in their order. */
export function blocksOf(page: string): Block[] {
  const source = read(page);
  return [...source.matchAll(/^( *)```(\w+)\n([^]*?)^\1```$/gm)].map(
    ({ 1: indent = '', 2: language = '', 3: text = '', index }) => ({
      language,
      text: text.replace(new RegExp(`^${indent}`, 'gm'), ''),
      line: source.slice(0, index).split('\n').length,
    }),
  );
}

/** The commands of a document: blocks of `sh`, each with the block of what it prints, and sessions of `console`, whose commands stand behind `$ `. */
export function examplesOf(page: string): Example[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, text, line }, place): Example[] => {
    if (language === 'console')
      return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)/gm)].map(
        ([, command = '', output = '']) => ({
          line,
          command,
          shown: { language: 'text', text: output },
        }),
      );
    if (language !== 'sh') return [];
    const next = blocks[place + 1];
    return [{ line, command: text, shown: next && printed.has(next.language) ? next : null }];
  });
}

/** Both sides of a comparison: what a command printed, and what a document shows of it, where `…` stands for any text. */
export function compared(output: string, { language, text }: NonNullable<Example['shown']>) {
  if (language === 'json') return { actual: JSON.parse(output), shown: withGaps(JSON.parse(text)) };
  if (language !== 'http')
    return { actual: output.replaceAll('\r', '').trimEnd(), shown: gap(text.trimEnd()) };
  const [head, body] = halves(output.replaceAll('\r', ''));
  const [shownHead, shownBody] = halves(text);
  return {
    actual: { head: headers(head), body: body && JSON.parse(body) },
    shown: {
      head: expect.arrayContaining(headers(shownHead).map(gap)),
      body: shownBody && withGaps(JSON.parse(shownBody)),
    },
  };
}

function halves(text: string): [head: string, body: string] {
  const [head = '', ...body] = text.trim().split('\n\n');
  return [head, body.join('\n\n')];
}

/** Headers in small letters: their names are the same in any case. */
function headers(head: string): string[] {
  return head.split('\n').map((line) => line.toLowerCase());
}

/** What changes with each run, the time and the database's stamp, may be anything. */
function withGaps(value: unknown): unknown {
  if (typeof value === 'string') return gap(value);
  if (Array.isArray(value)) return value.map(withGaps);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '__TIMESTAMP' || name === '__GlobalStamp' ? expect.anything() : withGaps(member),
    ]),
  );
}

function gap(text: string): unknown {
  if (!text.includes('…')) return text;
  const parts = text.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return expect.stringMatching(new RegExp(`^${parts.join('[^]*')}$`));
}
