import { rows } from '../../rows.ts';

/** A text of any length that may be hard on whoever reads it. */
export interface Payload {
  readonly name: string;
  /** @param size about how many characters */
  readonly text: (size: number) => string;
}

/** What is said again and again; what stands for itself in a URL stands so here, all else is escaped by whoever sends it. */
const repeated: readonly string[] = [
  ...Array.from('019afeé\u0301İß🚀"\'()[]{}<>=!#%&|^~*@.,;:-+/\\_? '),
  ...['00', '0.', '.0', '1,', "'x',", '"x",', 'a,', 'a.', 'a:', '1;', '()', '[]', '{}', '[['],
  ...['\\u0027', '\\"', '""', "''", 'a@', '@a', '*a', '%20', '\u0000', '\n', '\t', '\u00a0'],
  ...['NOT ', 'NOT(', 'ID=1 AND ', 'ID=1 EXCEPT ', '(ID=1) OR ', 'null,', ':1', ':1 '],
  ...['a desc,', 'manager.', 'employer.employees.', '__proto__.', 'constructor,', 'T00:00', 'Z'],
  ...['{"a":', '[{"a":1},', '"a":1,', '1e', '1e1', '+1', '--1', '0x1', '2024-01-01', 'c0ffee00-'],
];

function filled(part: string, size: number): string {
  return part.repeat(Math.ceil(size / part.length)).slice(0, size);
}

/** A beginning and an end around what is repeated. */
function framed(before: string, part: string, after: string): Payload {
  return {
    name: `${before}${part.slice(0, 12)}…${after}`,
    text: (size) => `${before}${filled(part, size)}${after}`,
  };
}

/** What is repeated, within `«»`, with a beginning and an end. */
const FRAMED = rows`
  -«9» | 1«0» | 1«0»x | 0.«0»1 | 1.«0»x | 1.«3» | 1e«9» | 1e-«9» | 1«0»1 | 1.«0»1 | 1«0».5 | .«0» | "«0» | "«0»" | '«0»x | '« »'
  [«1,»1] | [«"0",»1] | a IN [«1,»1] | ID IN [«1,»1] | lastName = "«@»" | lastName = "«*a»" | «(»ID=1 | {"ID":«0»} | {"orderNo":«1»,"line":2}
  2024-01-01T00:00:00.«0»Z | 2024-«0»-01 | c0ffee00-0000-4000-8000-«0»
`;

/** All payloads. */
export const payloads: readonly Payload[] = [
  ...repeated.map((part) => framed('', part, '')),
  ...repeated.map((part) => framed('1', part, 'x')),
  ...FRAMED.flat().map((text) => {
    const [before = '', part = '', after = ''] = text.split(/[«»]/);
    return framed(before, part, after);
  }),
];
