import { type Attribute, type Catalog, type Dataclass, relationTarget } from '../rest/catalog.ts';
import { hrefs } from '../routes.ts';
import { Icon } from '../ui/icon.tsx';

/** What the catalog says of a dataclass: its attributes, relations and functions. */
export function DataclassPanel({ dataclass, catalog }: { dataclass: Dataclass; catalog: Catalog }) {
  const { name, collection, description, attributes, key, functions } = dataclass;
  const relations = attributes.filter(isRelation);
  const others = attributes.filter((attribute) => !isRelation(attribute));
  return (
    <section class="dataclass-panel" aria-labelledby="dataclass-name">
      <header>
        <h1 id="dataclass-name">{name}</h1>
        <a class="button primary" href={hrefs.collection(name)}>
          Open the entities
        </a>
        <a class="quiet close" href={hrefs.model()} aria-label="Close" title="Close">
          <Icon name="close" />
        </a>
      </header>
      {description !== null && <p class="description">{description}</p>}
      <p class="hint">
        {key.length === 0
          ? 'Without a key: its entities can be read, not opened one by one.'
          : `Key: ${key.map((part) => part.name).join(', ')}.`}{' '}
        {stampOf(dataclass)} Collection: {collection}
      </p>
      <h2>Attributes</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Rules</th>
          </tr>
        </thead>
        <tbody>
          {others.map((attribute) => (
            <tr key={attribute.name}>
              <th scope="row">
                {attribute.name} {attribute.isKey && <Icon name="key" />}
                <Description of={attribute} />
              </th>
              <td class="type">{typeOf(attribute)}</td>
              <td class="rules">{rulesOf(attribute).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {relations.length > 0 && (
        <>
          <h2>Relations</h2>
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Leads to</th>
                <th scope="col">Inverse</th>
              </tr>
            </thead>
            <tbody>
              {relations.map((relation) => (
                <tr key={relation.name}>
                  <th scope="row">
                    {relation.name}
                    <Description of={relation} />
                  </th>
                  <td>
                    <Target relation={relation} catalog={catalog} />
                  </td>
                  <td class="rules">{wayBack(relation)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      {functions.length > 0 && (
        <>
          <h2>Functions</h2>
          <ul class="plain">
            {functions.map((called) => (
              <li key={called.name}>
                <a href={hrefs.functions(`${name}.${called.name}`)}>{called.name}</a>
                {called.description !== null && <p class="description">{called.description}</p>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Description({ of: { description } }: { of: Attribute }) {
  return description === null ? null : <p class="description">{description}</p>;
}

function Target({ relation, catalog }: { relation: Attribute; catalog: Catalog }) {
  const target = relationTarget(relation, catalog);
  const count = relation.kind === 'relatedEntities' ? 'many ' : 'one ';
  if (target === undefined) return <>{count + relation.type}</>;
  return (
    <>
      {count}
      <a href={hrefs.model(target.name)}>{target.name}</a>
    </>
  );
}

/** What notices that somebody else has changed an entity. */
function stampOf({ stamp }: Dataclass): string {
  switch (stamp) {
    case 'rowversion':
      return 'Stamp: a rowversion column.';
    case 'xmin':
      return 'Stamp: the database’s own row version.';
    case 'counter':
      return 'Stamp: a column that counts changes.';
    case 'hash':
      return 'Stamp: a hash of the row.';
    case 'none':
      return 'Without a stamp: read only.';
    case null:
    default:
      return '';
  }
}

function isRelation({ kind }: Attribute): boolean {
  return kind === 'relatedEntity' || kind === 'relatedEntities';
}

function typeOf({ type, maxLength }: Attribute): string {
  return maxLength === null ? type : `${type}(${maxLength})`;
}

function rulesOf(attribute: Attribute): string[] {
  const { kind, path, isKey, autosequence, notNull, unique, indexed, readOnly } = attribute;
  const rules: [boolean, string][] = [
    [kind === 'alias', `alias of ${path ?? ''}`],
    [kind === 'calculated', 'calculated'],
    [isKey, 'key'],
    [autosequence, 'numbered by the database'],
    [notNull && !isKey, 'never null'],
    [unique && !isKey, 'unique'],
    [indexed && !isKey, 'indexed'],
    [readOnly && kind === 'storage', 'read only'],
  ];
  return rules.flatMap(([holds, rule]) => (holds ? [rule] : []));
}

function wayBack({ inverse, path, readOnly }: Attribute): string {
  const way = inverse ?? (path?.includes('.') === true ? `through ${path}` : '–');
  return readOnly ? `${way}, read only` : way;
}
