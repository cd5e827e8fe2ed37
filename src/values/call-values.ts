import { ProtocolError } from '../base/errors.ts';
import type { ApiFunction } from '../model/function-types.ts';
import type { JsonValue } from '../request/json.ts';
import type { ValueLimits } from '../sql/dialect.ts';
import { storedValue, type FindUpload, type StoredValue } from './stored-value.ts';

/**
 * The parameters of a call as values of their types.
 * @throws ProtocolError badParameters for too many or too few, and as a body's values do for one that is none of its type, naming it as
 *   `Employee.raise.P_RATE`
 */
export function callValues(
  { fullName, parameters }: ApiFunction,
  given: readonly JsonValue[],
  findUpload: FindUpload,
  limits: ValueLimits,
): StoredValue[] {
  const least = parameters.findLastIndex(({ optional }) => !optional) + 1;
  if (given.length < least || given.length > parameters.length) {
    const names = parameters.map(({ name, optional }) => (optional ? `${name} (optional)` : name));
    const taken = parameters.length === 0 ? 'no parameters' : `the parameters ${names.join(', ')}`;
    throw new ProtocolError(
      'badParameters',
      `${fullName} takes ${taken}, and is given ${given.length}.`,
    );
  }
  return given.map((value, index) => {
    const { name = '', type } = parameters[index] ?? {};
    if (type === undefined) throw new Error(`${fullName} has no parameter ${index}`);
    // What says nothing of an entity's bytes gives a function none.
    return storedValue(value, { name, columnType: type }, fullName, findUpload, limits) ?? null;
  });
}
