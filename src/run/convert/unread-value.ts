import { ProtocolError } from '../../base/errors.ts';
import { DatabaseRefusal, quotedIn } from '../../database/violation.ts';
import type { Literal, ParameterRef } from '../../protocol/ast.ts';
import { hasOwnOrder } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import { notAToken } from '../read/change-token.ts';
import { itemsOf, literalOf, notAValue } from './bind.ts';
import { expectedOf } from './expected.ts';

/** A value of the request that a type may not have read. */
interface Suspect {
  readonly literal: Literal;
  readonly type: ColumnType;
  readonly meets: string;
}

/**
 * Explains an error of a request if the database could not read one of its values, which only the database can tell for types with an order of their
 * own: names the value, and what is expected. Returns other errors as they are. @param values those of the request
 */
export function explainUnread(error: unknown, values: readonly Literal[]): unknown {
  const refusal = refusalIn(error);
  if (refusal === null) return error;
  const { parameter: number = 0 } = refusal.violation;
  const unread = refusal.parameters[number - 1];
  // A token of changes that was not given out so.
  if (unread?.kind === 'parameter' && unread.source.from === 'lastRow') return notAToken();
  const suspects = suspectsOf(refusal, values);
  // Of several values the engine says which one it is.
  const quoted = quotedIn(refusal.cause instanceof Error ? refusal.cause.message : '');
  const said = suspects.find(
    ({ literal: { value } }) => typeof value === 'string' && quoted.includes(value),
  );
  const found = said ?? (suspects.length === 1 ? suspects[0] : undefined);
  if (found !== undefined) {
    const refused = notAValue(found.literal, found.meets, expectedOf(found.type));
    return refused.leadingTo(...(error as ProtocolError).consequences);
  }
  return error === refusal ? explainKey(refusal) : error;
}

function refusalIn(error: unknown): DatabaseRefusal | null {
  let at = error;
  while (at instanceof Error && !(at instanceof DatabaseRefusal)) at = at.cause;
  return at instanceof DatabaseRefusal ? at : null;
}

function suspectsOf(
  { violation, parameters }: DatabaseRefusal,
  values: readonly Literal[],
): readonly Suspect[] {
  const { parameter: number, rule } = violation;
  if (number === undefined && rule !== 'badValue' && rule !== 'outOfRange') return [];
  // Values in JSON are read while the statement runs, all others before.
  const possible =
    number === undefined
      ? parameters.filter(({ kind }) => kind === 'keys')
      : parameters.slice(number - 1, number);
  return possible.flatMap((one): Suspect[] => {
    if (one.kind === 'keys') {
      const parts = one.parameters.flatMap((key) => [...key.entries()]);
      return parts.flatMap(([part, parameter]) =>
        suspects({ parameter }, one.types[part], one.meets[part] ?? '', values),
      );
    }
    if (one.kind !== 'parameter' || one.source.from !== 'request') return [];
    return suspects(one.source, one.type, one.meets, values);
  });
}

function suspects(
  parameter: Pick<ParameterRef, 'parameter'>,
  type: ColumnType | undefined,
  meets: string,
  values: readonly Literal[],
): Suspect[] {
  if (type === undefined || !hasOwnOrder(type)) return [];
  return itemsOf(literalOf(parameter, values), type).map((literal) => ({ literal, type, meets }));
}

/** Of a key that a statement takes in a list nothing tells which value it is. */
function explainKey(refusal: DatabaseRefusal): ProtocolError {
  const types = refusal.parameters.flatMap((one) => (one.kind === 'keyList' ? one.types : []));
  const expected = types.filter(hasOwnOrder).map(expectedOf).join(', ');
  if (expected === '' || refusal.violation.ofStatement === true) return refusal;
  const message = `The key is not of the kind that the database holds there: expected ${expected}.`;
  return new ProtocolError('wrongType', message, undefined, refusal);
}
