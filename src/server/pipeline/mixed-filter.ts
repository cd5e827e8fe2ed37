import type { Comparator, FilterNode, RequestAst } from '../../protocol/ast.ts';

/**
 * Returns what is to be logged, and noted for the client, of a request whose `$filter` or `$having` joins AND and OR without parentheses: how it is read, from left to right
 * (DECISIONS, "`$filter`"), where SQL and most languages take AND first. Null for other requests. Equal for filters that differ in their values only.
 */
export function mixedFilterWarning(ast: RequestAst): string | null {
  const of = 'of' in ast ? ast.of : ast;
  const read = 'read' in of ? of.read : of;
  if (!('filter' in read)) return null;
  const filters = { $filter: read.filter, $having: 'having' in ast ? ast.having : null };
  const warnings = Object.entries(filters).flatMap(([name, filter]) =>
    filter === null || !hasMixed(filter)
      ? []
      : `A ${name} for ${read.dataclass} joins AND and OR without parentheses. It is read from left to right, as: ` +
        `${textOf(filter)}. Parentheses make it say what is meant.`,
  );
  return warnings.length === 0 ? null : warnings.join(' ');
}

function hasMixed(node: FilterNode): boolean {
  if (node.kind === 'comparison' || node.kind === 'flag') return false;
  if (node.kind === 'not') return hasMixed(node.operand);
  return node.isMixed === true || hasMixed(node.left) || hasMixed(node.right);
}

/** Comparators as they are written, where that is not their name. */
const WRITTEN: Readonly<Partial<Record<Comparator, string>>> = { contains: '%', in: 'IN' };

/** Writes an expression with all parentheses that it needs, and `?` for values. */
function textOf(node: FilterNode): string {
  switch (node.kind) {
    case 'flag':
      return node.path.names.join('.');
    case 'comparison':
      return `${node.path.names.join('.')} ${WRITTEN[node.comparator] ?? node.comparator} ?`;
    case 'not':
      return `NOT (${textOf(node.operand)})`;
    case 'and':
    case 'or':
    case 'except': {
      const left = node.left.kind === node.kind ? textOf(node.left) : operandText(node.left);
      return `${left} ${node.kind.toUpperCase()} ${operandText(node.right)}`;
    }
  }
}

function operandText(node: FilterNode): string {
  return 'left' in node ? `(${textOf(node)})` : textOf(node);
}
