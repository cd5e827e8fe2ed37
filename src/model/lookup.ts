import { ProtocolError, type TextPosition } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import type { Dataclass, Model } from './types.ts';

/**
 * Finds an exposed dataclass.
 * @throws ProtocolError noSuchDataclass with the nearest known names
 */
export function findDataclass(model: Model, name: string): Dataclass {
  const dataclass = model.dataclasses.get(name);
  if (dataclass !== undefined) return dataclass;
  throw new ProtocolError(
    'noSuchDataclass',
    `There is no dataclass ${name}.${nameHint(name, model.dataclasses.keys())}`,
  );
}

/** The error of a name that the dataclass does not have. */
export function noSuchAttribute(
  dataclass: Dataclass,
  name: string,
  at?: TextPosition,
): ProtocolError {
  return new ProtocolError(
    'noSuchAttribute',
    `Dataclass ${dataclass.name} has no attribute ${name}.${nameHint(name, dataclass.members.keys())}`,
    at,
  );
}
