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

/** All payloads. */
export const payloads: readonly Payload[] = [
  ...repeated.map((part) => framed('', part, '')),
  ...repeated.map((part) => framed('1', part, 'x')),
  framed('-', '9', ''),
  framed('1', '0', ''),
  framed('1', '0', 'x'),
  framed('0.', '0', '1'),
  framed('1.', '0', 'x'),
  framed('1.', '3', ''),
  framed('1e', '9', ''),
  framed('1e-', '9', ''),
  framed('1', '0', '1'),
  framed('1.', '0', '1'),
  framed('1', '0', '.5'),
  framed('.', '0', ''),
  framed('"', '0', ''),
  framed('"', '0', '"'),
  framed("'", '0', 'x'),
  framed("'", ' ', "'"),
  framed('[', '1,', '1]'),
  framed('[', '"0",', '1]'),
  framed('a IN [', '1,', '1]'),
  framed('ID IN [', '1,', '1]'),
  framed('lastName = "', '@', '"'),
  framed('lastName = "', '*a', '"'),
  framed('', '(', 'ID=1'),
  framed('{"ID":', '0', '}'),
  framed('{"orderNo":', '1', ',"line":2}'),
  framed('2024-01-01T00:00:00.', '0', 'Z'),
  framed('2024-', '0', '-01'),
  framed('c0ffee00-0000-4000-8000-', '0', ''),
];
