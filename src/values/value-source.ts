import { isNullLiteral } from '../plan/null-literal.ts';
import type { ValueSource } from '../query/ir.ts';
import type { Literal } from '../request/ast.ts';
import type { ColumnType } from '../schema/types.ts';

/** The value that a source leads to. */
export function valueOf(source: ValueSource, values: readonly Literal[]): Literal {
  if (source.from === 'model') {
    const literal = (value: string): Literal => ({ value, ...FROM_MODEL });
    return typeof source.value === 'string'
      ? literal(source.value)
      : { ...FROM_MODEL, value: source.value.map(literal), class: 'list' };
  }
  const literal = values[source.slot];
  if (literal === undefined) throw new Error(`no value for slot ${source.slot}`);
  return literal;
}

/** The model's values fit: they were looked at when it was built. */
const FROM_MODEL = { class: 'text', within: 'where', position: 1 } as const;

/** The items of a list, or the one value that stands for it, without nulls: no value equals those. */
export function itemsOf(list: Literal, type: ColumnType): readonly Literal[] {
  const items = typeof list.value === 'string' ? [list] : list.value;
  return items.filter((item) => !isNullLiteral(item.class, type));
}
