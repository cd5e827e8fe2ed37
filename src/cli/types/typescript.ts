/** A member of a type, with its documentation. */
export interface TypeMember {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
  /** Sentences; empty ones are left out. */
  readonly doc?: readonly string[];
}

/** Prints a comment in front of a declaration, or nothing. @param indent blanks before each line */
export function docComment(sentences: readonly string[], indent = ''): string {
  const text = sentences.filter((sentence) => sentence !== '').join(' ');
  if (text === '') return '';
  const lines = text.replaceAll('*/', '*\\/').trim().split(/\r?\n/);
  const [only = '', ...more] = lines;
  if (more.length === 0) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Prints the braces and members of an object type. @param indent blanks before the line that it begins in */
export function objectType(members: readonly TypeMember[], indent = ''): string {
  if (members.length === 0) return '{}';
  const lines = members.map(
    ({ name, type, optional = false, doc = [] }) =>
      `${docComment(doc, `${indent}  `)}${indent}  ${memberName(name)}${optional ? '?' : ''}: ${type};\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

/** Prints a value as a literal of JavaScript. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${memberName(name)}: ${literal(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Prints a text in quotes. */
export function textLiteral(text: string): string {
  return /^[^'\\\p{Cc}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text);
}

/** Joins types to a union, in parentheses where something follows. */
export function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : types.join(' | ');
}

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** Whether a text is a name of JavaScript. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

function memberName(name: string): string {
  return isIdentifier(name) ? name : textLiteral(name);
}
