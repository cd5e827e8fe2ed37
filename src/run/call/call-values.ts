import { type ErrorName, ProtocolError } from '../../base/errors.ts';
import type { DatabaseRefusal } from '../../database/violation.ts';
import type { ApiFunction } from '../../model/functions/function-types.ts';
import { inSlices, type TimeSlice } from '../../base/time-slice.ts';
import type { JsonValue } from '../../protocol/body/json-value.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { type FindUpload, type StoredValue, storing } from '../convert/stored-value.ts';

/** The error of a refused call. What programs of the database raise on purpose is for the client; other words of the engine stay in the cause. */
export function explainCallRefusal(
  refusal: DatabaseRefusal,
  { fullName }: ApiFunction,
): ProtocolError {
  const error = (errorName: ErrorName, message: string): ProtocolError =>
    new ProtocolError(errorName, message, undefined, refusal);
  const { rule, text } = refusal.violation;
  const refused = `${fullName} was refused`;
  switch (rule) {
    case 'raised':
      return error('raised', text ?? `A rule of the database’s own programs refused ${fullName}.`);
    case 'notAllowed':
      return error(
        'mayNotExecute',
        `The gateway’s user of the database may not execute ${fullName}, or not do what it does.`,
      );
    case 'outdated':
      return ProtocolError.of('schemaChanged', refusal);
    case 'unique':
      return error('duplicateKey', `${refused}: a value has to be unique, and is there already.`);
    case 'constraint':
      return error('brokenRule', `${refused}: it breaks a rule that the database sets.`);
    case 'notNull':
      return error('mandatoryMissing', `${refused}: it leaves out a mandatory value.`);
    case 'tooLong':
      return error('tooLong', `${refused}: a value is longer than the database can hold.`);
    case 'outOfRange':
      return error('tooLarge', `${refused}: a value is outside of what the database can hold.`);
    case 'badValue':
    case 'unencodable':
      return error(
        'wrongType',
        `${refused}: a value is not of the kind that the database takes there.`,
      );
    case 'exhausted':
      return error('notSaved', `${refused}: a sequence or an identity has reached its end.`);
    case 'failed':
      return error('databaseUnable', refusal.message);
    case 'generated':
    case 'notUpdatable':
    case 'notComputable':
    case 'other':
      return error('refusedByDatabase', `The database refused to execute ${fullName}.`);
  }
}

/** The parameters of a call as values of their types. @throws ProtocolError naming the parameter as `Employee.raise.P_RATE` */
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
    const message = `${fullName} takes ${taken}, and is given ${given.length}.`;
    throw new ProtocolError('badParameters', message);
  }
  const values: StoredValue[] = [];
  for (const [index, value] of given.entries()) {
    const { name = '', type } = parameters[index] ?? {};
    if (type === undefined) throw new Error(`${fullName} has no parameter ${index}`);
    const slot = { member: `${fullName}.${name}`, type };
    const steps = storing(value, slot, { findUpload, limits });
    // What says nothing of an entity's bytes gives a function none.
    values.push((await inSlices(steps, slice)) ?? null);
  }
  return values;
}
