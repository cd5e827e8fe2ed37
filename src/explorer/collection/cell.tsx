import { rest } from '../rest/client.ts';
import { isNumber, isObject, type JsonObject } from '../rest/json.ts';
import { pathBelowRest, shownKey, withParameters } from '../rest/url.ts';
import { hrefs } from '../routes.ts';
import { catalog } from '../catalog.ts';
import { relationTarget } from '../rest/catalog.ts';
import { isDeleted } from './collection.ts';
import { entityCount } from './totals.ts';
import { cellText, cellValue, deferredOf, isNumeric, NULL, type Column } from './columns.ts';

/** The content of a cell. @param row undefined while it is loaded @param isFirst whether its row is opened by it */
export function Cell({
  dataclass,
  row,
  column,
  isFirst,
}: {
  dataclass: string;
  row: JsonObject | undefined;
  column: Column;
  isFirst: boolean;
}) {
  if (row === undefined) return <span class="placeholder" aria-label="Loading" />;
  if (isDeleted(row)) return isFirst ? <span class="gone">deleted</span> : null;
  const value = cellValue(row, column.path);
  const deferred = deferredOf(value);
  if (deferred !== null) {
    const { uri, key } = deferred;
    return <Deferred dataclass={dataclass} column={column} uri={uri} entityKey={key} />;
  }
  if (column.type === 'relation' && Array.isArray(value))
    return <span>{entityCount(value.length)}</span>;
  const relatedKey = isObject(value) ? value['__KEY'] : undefined;
  if (column.type === 'relation' && (typeof relatedKey === 'string' || isNumber(relatedKey))) {
    return <Deferred dataclass={dataclass} column={column} uri="" entityKey={String(relatedKey)} />;
  }
  if (value === null || value === undefined) return <span class="null">{NULL}</span>;
  if (column.type === 'bool' && typeof value === 'boolean') return value ? 'true' : 'false';
  const text = cellText(value, column.type);
  if (Array.isArray(value) && isNumeric(column.type)) return <Numbers text={text} />;
  const key = row['__KEY'];
  if (isFirst && (typeof key === 'string' || isNumber(key))) {
    return (
      <a href={hrefs.entity(dataclass, String(key))} tabIndex={-1} title={text}>
        {text === '' ? shownKey(String(key)) : text}
      </a>
    );
  }
  return <span title={text}>{text}</span>;
}

/** Numbers of which all that do not fit the cell are left out whole: the first digits of one would be another number. */
function Numbers({ text }: { text: string }) {
  return (
    <span class="numbers" title={text}>
      {text.split(' ').map((number, index) => (
        <span key={index}>{number} </span>
      ))}
    </span>
  );
}

/** What is not in the answer itself: a thumbnail of an image, a link to what is related. */
function Deferred({
  dataclass,
  column: { path, type },
  uri,
  entityKey,
}: {
  dataclass: string;
  column: Column;
  uri: string;
  /** Null for entities of a relation to many. */
  entityKey: string | null;
}) {
  // Only requests of scripts can carry an API key.
  if (type === 'image' && rest.apiKey === null) {
    const source = uri.includes('$imageformat')
      ? uri
      : withParameters(uri, { $imageformat: 'best' });
    return <img src={source} alt={`${path} of this ${dataclass}`} loading="lazy" />;
  }
  if (type !== 'relation') return <span class="null">{type}</span>;
  const target = targetOf(dataclass, path);
  if (target === undefined) return null;
  return entityKey === null ? (
    <a href={hrefs.collection(target, { of: pathBelowRest(uri) })} tabIndex={-1}>
      open
    </a>
  ) : (
    <a href={hrefs.entity(target, entityKey)} tabIndex={-1}>
      {target} {shownKey(entityKey)}
    </a>
  );
}

/** The name of the dataclass that a path of relations leads to. */
function targetOf(dataclass: string, path: string): string | undefined {
  const known = catalog.value;
  if (known === null) return undefined;
  return path.split('.').reduce<string | undefined>((name, relation) => {
    const attributes = known.dataclasses.get(name ?? '')?.attributes;
    const attribute = attributes?.find((one) => one.name === relation);
    return attribute === undefined ? undefined : relationTarget(attribute, known)?.name;
  }, dataclass);
}
