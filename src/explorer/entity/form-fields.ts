import type { Attribute, Dataclass } from '../rest/catalog.ts';

/** The attributes and relations of a form. A foreign key stands once: as the relation, not as the attributes that hold it. */
export function formFields(dataclass: Dataclass): Attribute[] {
  return dataclass.attributes.filter(
    ({ kind, name }) => kind !== 'relatedEntities' && fieldOf(name, dataclass) === name,
  );
}

/** The name of the field that shows an attribute: of one that holds a foreign key that of its relation, unless only the attribute can be changed. */
export function fieldOf(name: string, { attributes }: Dataclass): string {
  const attribute = attributes.find((known) => known.name === name);
  const relation = attributes.find(
    ({ kind, foreignKey, readOnly }) =>
      kind === 'relatedEntity' &&
      foreignKey.includes(name) &&
      (!readOnly || attribute?.readOnly === true),
  );
  return relation?.name ?? name;
}

/** Whether the user cannot give a value: what the database fills in, calculated values, and the key of an entity that exists. */
export function isFixed(attribute: Attribute, dataclass: Dataclass, isNew: boolean): boolean {
  const { kind, readOnly, autosequence } = attribute;
  if (kind === 'calculated' || kind === 'alias' || readOnly || autosequence) return true;
  return !isNew && [attribute, ...holdersOf(attribute, dataclass)].some(({ isKey }) => isKey);
}

/** Whether a new entity has to be given a value. Either a relation or the attribute that holds its key will do, so that the catalog requires neither. */
export function isRequired(attribute: Attribute, dataclass: Dataclass): boolean {
  const isNeeded = ({ notNull, optional, autosequence, readOnly }: Attribute): boolean =>
    notNull && !optional && !autosequence && !readOnly;
  return dataclass.required.has(attribute.name) || holdersOf(attribute, dataclass).some(isNeeded);
}

/** Whether a field may be null: neither it is never null, nor what holds the key of a relation. */
export function takesNull(attribute: Attribute, dataclass: Dataclass): boolean {
  return (
    !dataclass.required.has(attribute.name) &&
    [attribute, ...holdersOf(attribute, dataclass)].every(({ notNull }) => !notNull)
  );
}

/** The attributes that hold the key of what a relation to one leads to. */
function holdersOf({ kind, foreignKey }: Attribute, { attributes }: Dataclass): Attribute[] {
  if (kind !== 'relatedEntity') return [];
  return attributes.filter(({ name }) => foreignKey.includes(name));
}
