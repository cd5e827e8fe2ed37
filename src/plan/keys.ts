import { ProtocolError } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import { isRelation, type StorageAttribute } from '../model/types.ts';
import type { Condition, Parameter, ParameterUse } from '../query/ir.ts';
import type { KeyNode, Selector, Slot } from '../request/ast.ts';
import type { Scope } from './scope.ts';
import { compareExactly } from './steps.ts';

/** How many keys of several parts one request may list: each is a condition of its own. */
const MOST_COMPOSITE_KEYS = 500;

/**
 * The conditions that a key, a list of keys or a unique attribute sets.
 * @throws ProtocolError keyMismatch where the dataclass's key has other parts, notApplicable where it has none
 */
export function planSelector(selector: Selector, scope: Scope): Condition[] {
  switch (selector.kind) {
    case 'all':
    case 'entitySet':
      return [];
    case 'unique':
      return [uniqueCondition(selector.attribute, selector.value, scope)];
    case 'key':
      return keyParts(selector.key, scope);
    case 'keyList':
      return [listCondition(selector.list, scope)];
    case 'keys':
      return [keysCondition(selector.keys, scope)];
  }
}

function uniqueCondition(name: string, value: Slot, scope: Scope): Condition {
  const { dataclass } = scope;
  const member = dataclass.members.get(name);
  const unique = [...dataclass.members.values()].filter(
    (candidate) => candidate.kind === 'storage' && candidate.unique,
  );
  if (member === undefined) {
    throw new ProtocolError(
      'noSuchAttribute',
      `Dataclass ${dataclass.name} has no attribute ${name}.${nameHint(name, dataclass.members.keys())}`,
    );
  }
  if (isRelation(member) || !member.unique) {
    const known = unique.map((candidate) => candidate.name).join(', ');
    throw new ProtocolError(
      'notApplicable',
      `${dataclass.name}.${name} is not unique: it addresses no single entity.` +
        (known === '' ? '' : ` Unique: ${known}.`),
    );
  }
  return equals(member, value, scope);
}

/** Several plain keys: one list, whatever their number. */
function listCondition(list: Slot, scope: Scope): Condition {
  const [attribute, ...others] = scope.dataclass.key;
  if (attribute === undefined) throw noKey(scope);
  if (others.length > 0) throw mismatch(scope);
  return {
    kind: 'in',
    left: scope.column(attribute.column, attribute.columnType),
    right: parameterFor(attribute, list, 'list', scope),
  };
}

function keysCondition(keys: readonly KeyNode[], scope: Scope): Condition {
  if (keys.length > MOST_COMPOSITE_KEYS) {
    throw new ProtocolError(
      'notApplicable',
      `${keys.length} keys are listed; at most ${MOST_COMPOSITE_KEYS} keys of several parts can be.`,
    );
  }
  return {
    kind: 'or',
    items: keys.map((key): Condition => ({ kind: 'and', items: keyParts(key, scope) })),
  };
}

function keyParts(key: KeyNode, scope: Scope): Condition[] {
  const attributes = scope.dataclass.key;
  if (attributes.length === 0) throw noKey(scope);
  const values = key.kind === 'object' ? objectValues(key, scope) : tupleValues(key);
  if (values.length !== attributes.length) throw mismatch(scope);
  return attributes.map((attribute, index) => {
    const value = values[index];
    if (value === undefined) throw mismatch(scope);
    return equals(attribute, value, scope);
  });
}

function tupleValues(key: Exclude<KeyNode, { kind: 'object' }>): readonly Slot[] {
  return key.kind === 'scalar' ? [key.value] : key.values;
}

function objectValues(
  { entries }: Extract<KeyNode, { kind: 'object' }>,
  scope: Scope,
): (Slot | undefined)[] {
  const attributes = scope.dataclass.key;
  if (entries.some(([name]) => !attributes.some((attribute) => attribute.name === name))) {
    throw mismatch(scope);
  }
  return attributes.map(({ name }) => entries.find(([given]) => given === name)?.[1]);
}

function mismatch({ dataclass }: Scope): ProtocolError {
  const names = dataclass.key.map(({ name }) => name);
  const shown =
    names.length === 1
      ? `${dataclass.name}(${names.join('')})`
      : `${dataclass.name}(${names.join(';')}) or ${dataclass.name}({${names.map((name) => `"${name}":…`).join(',')}})`;
  return new ProtocolError(
    'keyMismatch',
    `The key of ${dataclass.name} is ${names.join(', ')}: expected ${shown}.`,
  );
}

function noKey({ dataclass }: Scope): ProtocolError {
  return new ProtocolError(
    'notApplicable',
    `${dataclass.name} has no key: its entities are read by $filter only.`,
  );
}

function equals(attribute: StorageAttribute, value: Slot, scope: Scope): Condition {
  const left = scope.column(attribute.column, attribute.columnType);
  return compareExactly(left, '=', attribute.columnType, (round) => ({
    ...parameterFor(attribute, value, 'value', scope),
    ...(round === undefined ? {} : { round }),
  }));
}

function parameterFor(
  attribute: StorageAttribute,
  { slot }: Slot,
  use: ParameterUse,
  scope: Scope,
): Parameter {
  const meets = `${scope.dataclass.name}.${attribute.name}`;
  return { kind: 'parameter', slot, type: attribute.columnType, use, meets };
}
