import { ProtocolError } from '../../base/errors.ts';
import { inSlices, type TimeSlice } from '../../base/time-slice.ts';
import type { ApiFunction } from '../../model/functions/function-types.ts';
import type { JsonValue } from '../../protocol/body/json-value.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { storing, type FindUpload, type StoredValue } from '../convert/stored-value.ts';

/**
 * The parameters of a call as values of their types.
 * @throws ProtocolError badParameters for too many or too few, and as a body's values do for one that is none of its type, naming it as
 *   `Employee.raise.P_RATE`
 */
export async function callValues(
  { fullName, parameters }: ApiFunction,
  given: readonly JsonValue[],
  findUpload: FindUpload,
  limits: ValueLimits,
  slice: TimeSlice,
): Promise<StoredValue[]> {
  const least = parameters.findLastIndex(({ optional }) => !optional) + 1;
  if (given.length < least || given.length > parameters.length) {
    const names = parameters.map(({ name, optional }) => (optional ? `${name} (optional)` : name));
    const taken = parameters.length === 0 ? 'no parameters' : `the parameters ${names.join(', ')}`;
    throw new ProtocolError(
      'badParameters',
      `${fullName} takes ${taken}, and is given ${given.length}.`,
    );
  }
  const values: StoredValue[] = [];
  for (const [index, value] of given.entries()) {
    const { name = '', type } = parameters[index] ?? {};
    if (type === undefined) throw new Error(`${fullName} has no parameter ${index}`);
    const attribute = { name, columnType: type };
    const steps = storing(value, { attribute, dataclass: fullName, findUpload, limits });
    // What says nothing of an entity's bytes gives a function none.
    values.push((await inSlices(steps, slice)) ?? null);
  }
  return values;
}
