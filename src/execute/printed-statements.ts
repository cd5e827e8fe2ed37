import type { Statement } from '../sql/dialect.ts';
import type { PrintedFetch, PrintedRead } from './print.ts';

/** A statement of a printed read. */
export interface PrintedStatement {
  /** What it is for: `origin` looks for the entity that the path begins with where nothing else was found. */
  readonly role: 'entity' | 'page' | 'origin' | 'count' | 'related';
  readonly statement: Statement;
  /** From the page down to the related entities that are fetched; empty for what is not related. */
  readonly path: readonly RelatedStep[];
}

/** A list of related entities of the rows above. */
interface RelatedStep {
  /** Which one of the lists below its parent, from 0. */
  readonly index: number;
  readonly dataclass: string;
  /** The field that holds it, or null where it is no field of the answer. */
  readonly field: string | null;
}

/**
 * The statements of a printed read, in the order in which they run; without the one that asks for the global stamp, which a page
 * tells that is not empty.
 */
export function printedStatements({ plan, fetch, origin, count }: PrintedRead): PrintedStatement[] {
  const own = (role: PrintedStatement['role'], statement: Statement | null): PrintedStatement[] =>
    statement === null ? [] : [{ role, statement, path: [] }];
  return [
    ...own(plan.answer === 'entity' ? 'entity' : 'page', fetch.statement),
    ...own('origin', origin),
    ...own('count', count),
    ...related(fetch, []),
  ];
}

function related(above: PrintedFetch, path: readonly RelatedStep[]): PrintedStatement[] {
  const fields = selections(above);
  return above.children.flatMap(({ fetch }, index): PrintedStatement[] => {
    const { dataclass } = fetch.shape;
    const here = [...path, { index, dataclass: dataclass.name, field: fields.get(index) ?? null }];
    return [{ role: 'related', statement: fetch.statement, path: here }, ...related(fetch, here)];
  });
}

/** The names of the expanded relations to many, by the child that fetches them. */
function selections({ shape }: PrintedFetch): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const visit = ({ fields }: PrintedFetch['shape'], prefix: string): void => {
    for (const field of fields) {
      if (field.kind === 'selection') found.set(field.child, prefix + field.name);
      if (field.kind === 'entity') visit(field.shape, `${prefix}${field.name}.`);
    }
  };
  visit(shape, '');
  return found;
}
