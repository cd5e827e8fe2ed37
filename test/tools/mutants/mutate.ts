import ts from 'typescript';

/** One change of the source, which a test is to notice. */
export interface Mutant {
  /** Path from the repository's root. */
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  /** What stands from {@link start} to {@link end} in the file. */
  readonly original: string;
  readonly mutated: string;
  readonly start: number;
  readonly end: number;
}

/** A mutant of a sample. */
export interface Numbered extends Mutant {
  readonly id: number;
}

/** What stands from one place to another within a node becomes another text. */
interface Change {
  readonly mutator: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const { SyntaxKind } = ts;

/** Of each mutator the words that become others. */
type Words = Readonly<Record<string, readonly string[]>>;

const BINARY: Words = {
  equality: ['=== !==', '!== ===', '< <= >=', '<= < >', '> >= <=', '>= > <'],
  logical: ['&& ||', '|| &&', '?? &&'],
  arithmetic: ['+ -', '- +', '* /', '/ *', '% *'],
  assignment: ['+= -=', '-= +=', '??= &&=', '||= &&=', '&&= ||='],
};

const UNARY: Words = { unary: ['! ', '- +', '~ '], update: ['++ --', '-- ++'] };

const METHODS: Words = {
  method: ['some every', 'every some', 'min max', 'max min', 'startsWith endsWith']
    .concat('endsWith startsWith', 'trimStart trimEnd', 'trimEnd trimStart')
    .concat('toUpperCase toLowerCase', 'toLowerCase toUpperCase'),
};

/** Methods of which the call becomes what it is called on. */
const REMOVED = ['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'trim'];

const LOGGED = /\b(?:log|logger|console)\.(?:trace|debug|info|warn|error|fatal)$/;

/** All mutants of a file: none in types, names and imports, nor in what is said of a defect of the program itself or written to a log. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node)) return;
    const place = whole(node);
    const [start, end] = [place.getStart(source), place.end];
    for (const { mutator, from, to, text: replacement } of changes(node, source)) {
      const line = source.getLineAndCharacterOfPosition(from).line + 1;
      const mutated = text.slice(start, from) + replacement + text.slice(to, end);
      found.push({ file, line, mutator, original: text.slice(start, end), mutated, start, end });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The text of a file with mutants in it, each of which acts where `mutated` is true of its number. */
export function instrumented(text: string, mutants: readonly Numbered[]): string {
  const rendered = (from: number, to: number, places: readonly Numbered[]): string => {
    let [result, at, rest] = ['', from, places];
    for (let [place] = rest; place !== undefined; [place] = rest) {
      const { start, end, id, mutated } = place;
      const within = rest.slice(1).filter((other) => other.start < end);
      const original = rendered(start, end, within);
      result += text.slice(at, start);
      result +=
        place.mutator === 'block'
          ? `{ if (!mutated(${id})) ${original} }`
          : `(mutated(${id}) ? (${mutated}) : (${original}))`;
      at = end;
      rest = rest.slice(1 + within.length);
    }
    return result + text.slice(at, to);
  };
  const outerFirst = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end || a.id - b.id);
  return rendered(0, text.length, outerFirst);
}

function changes(node: ts.Node, source: ts.SourceFile): Change[] {
  const change = (mutator: string, text: string, from = node.getStart(source), to = node.end) => ({
    mutator,
    from,
    to,
    text,
  });
  const found: Change[] = [];
  for (const value of conditions(node)) found.push(change('conditional', value));
  if (ts.isBinaryExpression(node)) {
    const [mutator, ...others] = swapped(BINARY, node.operatorToken.getText(source));
    if (mutator === 'arithmetic' && isOfText(node)) return found;
    const [left, right] = [node.left, node.right].map((side) => {
      const text = side.getText(source);
      return ts.isBinaryExpression(side) ? `(${text})` : text;
    });
    for (const other of others) found.push(change(mutator, `${left} ${other} ${right}`));
  } else if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const operand = node.operand.getText(source);
    const [mutator, ...others] = swapped(UNARY, ts.tokenToString(node.operator) ?? '');
    const isBefore = ts.isPrefixUnaryExpression(node);
    for (const other of others) {
      found.push(change(mutator, isBefore ? `${other}${operand}` : `${operand}${other}`));
    }
  } else if (node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword) {
    found.push(change('boolean', String(node.kind === SyntaxKind.FalseKeyword)));
  } else if (isText(node)) {
    const isEmpty = node.end - node.getStart(source) === 2;
    if (isValue(node)) found.push(change('string', isEmpty ? "'mutated'" : "''"));
  } else if (ts.isArrayLiteralExpression(node)) {
    if (node.elements.length > 0 && !isAssigned(node)) found.push(change('array', '[]'));
  } else if (ts.isObjectLiteralExpression(node)) {
    if (node.properties.length > 0 && !isAssigned(node)) found.push(change('object', '{}'));
  } else if (ts.isBlock(node)) {
    if (node.statements.length > 0) found.push(change('block', '{}'));
  } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    const [mutator, ...others] = swapped(METHODS, name.text);
    for (const other of others) {
      found.push(change(mutator, other, name.getStart(source), name.end));
    }
    if (REMOVED.includes(name.text)) found.push(change('method', '', expression.end));
  }
  const question = questionOf(node);
  if (question !== undefined) {
    const text = ts.isPropertyAccessExpression(node) ? '.' : '';
    found.push(change('optional chaining', text, question.getStart(source), question.end));
  }
  return found;
}

/** The mutator that changes a word, and what it becomes. */
function swapped(table: Words, word: string): [mutator: string, ...others: string[]] {
  for (const [mutator, words] of Object.entries(table)) {
    const found = words.find((each) => each.split(' ')[0] === word);
    if (found !== undefined) return [mutator, ...found.split(' ').slice(1)];
  }
  return [''];
}

/** What a condition becomes: a loop that never ends would only cost time. */
function conditions(node: ts.Node): string[] {
  if (node.kind === SyntaxKind.TrueKeyword) return [];
  const { parent } = node as { parent?: ts.Node };
  if (parent === undefined) return [];
  if (ts.isIfStatement(parent)) return parent.expression === node ? ['true', 'false'] : [];
  if (ts.isConditionalExpression(parent)) return parent.condition === node ? ['true', 'false'] : [];
  const isOfLoop =
    ((ts.isWhileStatement(parent) || ts.isDoStatement(parent)) && parent.expression === node) ||
    (ts.isForStatement(parent) && parent.condition === node);
  return isOfLoop ? ['false'] : [];
}

/** The expression that can stand in brackets: a chain ends as a whole where a part of it is missing. */
function whole(node: ts.Node): ts.Node {
  let place = node;
  while (
    ts.isExpression(place) &&
    (ts.isOptionalChain(place.parent) || ts.isNonNullExpression(place.parent)) &&
    place.parent.expression === place
  ) {
    place = place.parent;
  }
  return place;
}

/** The `?.` of a node; none where what is deleted could not stand in brackets. */
function questionOf(node: ts.Node): ts.Node | undefined {
  if (!ts.isOptionalChain(node) || ts.isDeleteExpression(whole(node).parent)) return undefined;
  return ts.isNonNullChain(node) ? undefined : node.questionDotToken;
}

type Text = ts.StringLiteralLike | ts.TemplateExpression;

function isText(node: ts.Node): node is Text {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** Whether a text is a value: no name, directive, module or part of a tagged template. */
function isValue(node: Text): boolean {
  const { parent } = node;
  if (ts.isCallExpression(parent)) return parent.expression.kind !== SyntaxKind.ImportKeyword;
  const isName =
    ('name' in parent && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node);
  return !isName && !ts.isExpressionStatement(parent) && !ts.isTaggedTemplateExpression(parent);
}

/** Whether nothing depends on a node when the program runs, or only what a log or a defect of the program itself says. */
function isWithoutEffect(node: ts.Node): boolean {
  if (ts.isNewExpression(node))
    return ts.isIdentifier(node.expression) && node.expression.text === 'Error';
  if (ts.isCallExpression(node)) return LOGGED.test(node.expression.getText());
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node)
  );
}

/** Whether a sum is of texts, which nothing can be taken from. */
function isOfText(node: ts.Node): boolean {
  if (isText(node)) return true;
  return ts.isBinaryExpression(node) && (isOfText(node.left) || isOfText(node.right));
}

/** Whether a literal is a pattern that values are assigned to. */
function isAssigned(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) {
    return parent.left === node && parent.operatorToken.kind === SyntaxKind.EqualsToken;
  }
  if (ts.isForOfStatement(parent)) return parent.initializer === node;
  const isInLiteral =
    ts.isArrayLiteralExpression(parent) ||
    ts.isObjectLiteralExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isSpreadElement(parent);
  return isInLiteral && isAssigned(parent);
}
