import { notApplicable, ProtocolError } from '../../base/errors.ts';
import { noSuchAttribute } from '../../model/lookup.ts';
import { type Dataclass, isStored, type StorageAttribute } from '../../model/types.ts';
import type { ColumnRef, Condition, Operand, Parameter, ParameterUse } from '../../sql/ir/ir.ts';
import type { KeyNode, Selector, ParameterRef } from '../../protocol/ast.ts';
import { allOf, compareExactly, listSize } from './comparison.ts';
import { Scope } from './scope.ts';

/** Plans the conditions of a key, a list of keys or a unique attribute. @throws ProtocolError as {@link keyParameters} and {@link uniqueParameter} */
export function planSelector(selector: Selector, scope: Scope): Condition[] {
  switch (selector.kind) {
    case 'all':
    case 'entitySet':
      return [];
    case 'unique':
      return [
        uniqueCondition(selector.attribute, uniqueParameter(selector, scope.dataclass), scope),
      ];
    case 'key':
      return keyParts(selector.key, scope);
    case 'keyList':
      return [listCondition(selector.list, scope)];
    case 'keys':
      return [keysCondition(selector.keys, scope)];
  }
}

function uniqueCondition(name: string, value: ParameterRef, scope: Scope): Condition {
  const attribute = uniqueAttribute(name, scope.dataclass);
  const exact = equals(attribute, value, scope);
  if (!isFolded(attribute)) return exact;
  const fold = (operand: ColumnRef | Parameter): Operand => ({ kind: 'folded', operand });
  const other = Scope.root(scope.dataclass, scope.aliases);
  const exists: Condition = {
    kind: 'exists',
    from: other.source,
    joins: [],
    where: allOf([equals(attribute, value, other), other.restrictionInSubqueries]),
  };
  const folded: Condition = {
    kind: 'compare',
    operator: '=',
    left: fold(scope.column(attribute.column, attribute.columnType)),
    right: fold(parameterFor(attribute, value, 'value', scope)),
  };
  // When values differ only in case, the one written as the client writes it is meant.
  return {
    kind: 'or',
    items: [exact, { kind: 'and', items: [folded, { kind: 'not', item: exists }] }],
  };
}

/** Whether the gateway folds case when it compares an attribute, so that several entities may match a unique value. */
export function isFolded({ ignoreCase, columnType: { kind } }: StorageAttribute): boolean {
  return ignoreCase && (kind === 'text' || kind === 'opaque');
}

/** Finds a unique attribute. @throws ProtocolError noSuchAttribute, or notApplicable when it is not unique */
export function uniqueAttribute(name: string, dataclass: Dataclass): StorageAttribute {
  const member = dataclass.members.get(name);
  const unique = [...dataclass.members.values()].filter(
    (candidate) => isStored(candidate) && isUnique(candidate, dataclass),
  );
  if (member === undefined) throw noSuchAttribute(dataclass, name);
  if (!isStored(member) || !isUnique(member, dataclass)) {
    const known = unique.map((candidate) => candidate.name).join(', ');
    const why = isStored(member) && member.type === 'object' ? 'an object' : 'not unique';
    throw notApplicable(
      `${dataclass.name}.${name} is ${why}: it addresses no single entity.` +
        (known === '' ? '' : ` Unique: ${known}.`),
    );
  }
  return member;
}

/** Finds the value of a unique attribute: of a text, all that stands between the parentheses, as with keys of one text. */
export function uniqueParameter(
  { attribute: name, key }: Extract<Selector, { kind: 'unique' }>,
  dataclass: Dataclass,
): ParameterRef {
  const { columnType } = uniqueAttribute(name, dataclass);
  if (columnType.kind === 'text' && key.raw !== undefined) return key.raw;
  if (key.kind === 'broken') throw key.refusal;
  if (key.kind === 'scalar') return key.value;
  const message = `${dataclass.name}.${name} is one value: expected ${dataclass.name}:${name}(value).`;
  throw new ProtocolError('badUrl', message);
}

/** Whether an attribute addresses one entity by itself, as a key of one part does, even when only the mapping file declares it. */
export function isUnique({ name, unique }: StorageAttribute, { key }: Dataclass): boolean {
  return unique || (key.length === 1 && key[0]?.name === name);
}

/** Several plain keys: one list, whatever their number. */
function listCondition(list: ParameterRef, scope: Scope): Condition {
  const [attribute, ...others] = scope.dataclass.key;
  if (attribute === undefined) throw noKey(scope.dataclass);
  if (others.length > 0) throw mismatch(scope.dataclass);
  return {
    kind: 'in',
    left: scope.column(attribute.column, attribute.columnType),
    right: {
      ...parameterFor(attribute, list, 'list', scope),
      ...listSize(list, attribute.columnType),
    },
  };
}

/** Keys of several parts: one parameter, whatever their number. */
function keysCondition(keys: readonly KeyNode[], scope: Scope): Condition {
  const { key } = scope.dataclass;
  return {
    kind: 'keyIn',
    columns: key.map(({ column, columnType }) => scope.column(column, columnType)),
    keys: {
      kind: 'keys',
      parameters: keys.map((node) =>
        keyParameters(node, scope.dataclass).map(({ parameter }) => parameter),
      ),
      types: key.map(({ columnType }) => columnType),
      meets: key.map(({ name }) => `${scope.dataclass.name}.${name}`),
    },
  };
}

function keyParts(key: KeyNode, scope: Scope): Condition[] {
  const parameters = keyParameters(key, scope.dataclass);
  return scope.dataclass.key.map((attribute, index) => {
    const parameter = parameters[index];
    if (parameter === undefined) throw mismatch(scope.dataclass);
    return equals(attribute, parameter, scope);
  });
}

/** Lists the values of a key, in key order. @throws ProtocolError keyMismatch, or notApplicable when the dataclass has no key */
export function keyParameters(key: KeyNode, dataclass: Dataclass): readonly ParameterRef[] {
  if (dataclass.key.length === 0) throw noKey(dataclass);
  const text = wholeText(key, dataclass);
  if (text !== null) return [text];
  if (key.kind === 'broken') throw key.refusal;
  const entries = entriesOf(key, dataclass);
  const parameters = entries === null ? tupleValues(key) : objectValues(entries, dataclass);
  const given = parameters.filter((parameter) => parameter !== undefined);
  if (given.length !== dataclass.key.length) throw mismatch(dataclass);
  return given;
}

/** A key of one text is all that stands between the parentheses (DECISIONS, "URLs and encodings"); null for every other key. */
function wholeText(key: KeyNode, dataclass: Dataclass): ParameterRef | null {
  const [only, ...more] = dataclass.key;
  return more.length === 0 && only?.columnType.kind === 'text' ? (key.raw ?? null) : null;
}

/** The parts of a key by name; null when it names none. A quoted object is one text when the key is one value. */
function entriesOf(key: KeyNode, dataclass: Dataclass): Entries | null {
  if (key.kind === 'object') return key.entries;
  return key.kind === 'scalar' && dataclass.key.length > 1 ? (key.object ?? null) : null;
}

type Entries = Extract<KeyNode, { kind: 'object' }>['entries'];

function tupleValues(key: KeyNode): readonly ParameterRef[] {
  if (key.kind === 'scalar') return [key.value];
  return key.kind === 'tuple' ? key.values : [];
}

function objectValues(entries: Entries, dataclass: Dataclass): (ParameterRef | undefined)[] {
  const { key } = dataclass;
  if (entries.some(([name]) => !key.some((attribute) => attribute.name === name))) {
    throw mismatch(dataclass);
  }
  return key.map(({ name }) => entries.find(([given]) => given === name)?.[1]);
}

function mismatch(dataclass: Dataclass): ProtocolError {
  const names = dataclass.key.map(({ name }) => name);
  const shown =
    names.length === 1
      ? `${dataclass.name}(${names.join('')})`
      : `${dataclass.name}(${names.join(';')}) or ${dataclass.name}({${names.map((name) => `"${name}":…`).join(',')}})`;
  const message = `The key of ${dataclass.name} is ${names.join(', ')}: expected ${shown}.`;
  return new ProtocolError('keyMismatch', message);
}

function noKey(dataclass: Dataclass): ProtocolError {
  return notApplicable(`${dataclass.name} has no key: its entities are read by $filter only.`);
}

function equals(attribute: StorageAttribute, value: ParameterRef, scope: Scope): Condition {
  const left = scope.column(attribute.column, attribute.columnType);
  return compareExactly(left, '=', attribute.columnType, (round) => ({
    ...parameterFor(attribute, value, 'value', scope),
    ...(round === undefined ? {} : { round }),
  }));
}

function parameterFor(
  attribute: StorageAttribute,
  { parameter }: ParameterRef,
  use: ParameterUse,
  scope: Scope,
): Parameter {
  const meets = `${scope.dataclass.name}.${attribute.name}`;
  return {
    kind: 'parameter',
    source: { from: 'request', parameter },
    type: attribute.columnType,
    use,
    meets,
  };
}
