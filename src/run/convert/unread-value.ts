import { ProtocolError } from '../../base/errors.ts';
import { DatabaseRefusal, quotedIn } from '../../database/errors.ts';
import type { Literal, ParameterRef } from '../../protocol/ast.ts';
import { isReadByType } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import { notAToken } from '../read/change-token.ts';
import { itemsOf, literalOf, notAValue } from './bind.ts';
import { expectedOf } from './conversion-error.ts';

/** A value of the request that a type may not have read. */
interface Suspect {
  readonly literal: Literal;
  readonly type: ColumnType;
  readonly meets: string;
}

/**
 * Explains an error of a request if the database could not read one of its values, which only the database can tell for types that the gateway does
 * not know: names the value, and what is expected. Returns other errors as they are. @param values those of the request
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
  const [first, ...others] = suspects;
  const isOne = others.every(({ literal: { value } }) => value === first?.literal.value);
  const found = said ?? (isOne ? first : undefined);
  if (found !== undefined) {
    const refused = notAValue(found.literal, found.meets, expectedOf(found.type));
    return refused.leadingTo(...(error as ProtocolError).consequences);
  }
  return error === refusal ? explainList(refusal, number > 0 ? first : undefined) : error;
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
  if (type === undefined || !isReadByType(type)) return [];
  return itemsOf(literalOf(parameter, values), type).map((literal) => ({ literal, type, meets }));
}

/** Of a list nothing tells which value it is. @param one of the list; left out for a list of keys */
function explainList(refusal: DatabaseRefusal, one?: Suspect): ProtocolError {
  const keys = refusal.parameters.flatMap((each) => ('types' in each ? each.types : []));
  const types = one === undefined ? keys.filter(isReadByType) : [one.type];
  if (types.length === 0 || refusal.violation.ofStatement === true) return refusal;
  const what = one === undefined ? 'The key' : `A value for ${one.meets}`;
  const expected = types.map(expectedOf).join(', ');
  const message = `${what} is not of the kind that the database holds there: expected ${expected}.`;
  return new ProtocolError('wrongType', message, undefined, refusal);
}
