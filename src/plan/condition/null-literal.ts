import type { LiteralClass } from '../../protocol/ast.ts';
import type { ColumnType } from '../../schema/types.ts';

/** Whether a value stands for null where it meets a type: `0!0!0` is not a date, and text where text is compared (DECISIONS). */
export function isNullLiteral(kind: LiteralClass, type: ColumnType): boolean {
  return (
    kind === 'null' || (kind === 'noDate' && (type.kind === 'date' || type.kind === 'timestamp'))
  );
}
