import { isObject, type Json, plainText } from '../rest/json.ts';
import { dataclassPath, shownKey, withParameters } from '../rest/url.ts';

/** What a search needs to know of an attribute of the catalog. */
export interface SearchedAttribute {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
}

/** Names of attributes by which people know an entity, the best first. */
const NAMES = [
  'fullName',
  'name',
  'title',
  'label',
  'description',
  'lastName',
  'code',
  'sku',
  'number',
  'email',
];

/**
 * The attributes that stand for an entity where there is room for few: at most `most` of those that people know entities by.
 * @param fallback how many others of text are taken where it has none of these
 */
export function labelAttributes(
  attributes: readonly SearchedAttribute[],
  most = 2,
  fallback = 1,
): string[] {
  const texts = attributes
    .filter(
      ({ kind, type }) => type === 'string' && kind !== 'alias' && !kind.startsWith('related'),
    )
    .map(({ name }) => name);
  const rank = (name: string): number => {
    const at = NAMES.findIndex((known) => known.toLowerCase() === name.toLowerCase());
    return at < 0 ? NAMES.length : at;
  };
  const ranked = texts
    .map((name, at) => ({ name, at, rank: rank(name) }))
    .sort((one, other) => one.rank - other.rank || one.at - other.at);
  const known = ranked.filter((text) => text.rank < NAMES.length);
  return (known.length > 0 ? known : ranked.slice(0, fallback))
    .slice(0, most)
    .map(({ name }) => name);
}

/** The text that stands for an entity: the values of its label attributes. */
export function labelOf(entity: Json | undefined, labels: readonly string[]): string {
  if (!isObject(entity)) return '';
  const texts = labels.map((name) => plainText(entity[name])).filter((text) => text !== '');
  return texts
    .filter((text, at) => !texts.slice(0, at).some((before) => before.includes(text)))
    .join(BETWEEN);
}

/** Stands between the values of a label. */
const BETWEEN = ' · ';

/** Whether a label shows a key as one of its values, so that the key need not stand beside it. */
export function showsKey(label: string, key: string): boolean {
  return label.split(BETWEEN).includes(key);
}

/** The text by which an entity is chosen among others: its label with its key, once. */
export function choiceText(label: string, key: string): string {
  if (label === '') return shownKey(key);
  return showsKey(label, key) ? label : `${label} (${shownKey(key)})`;
}

/** The URL that suggests entities by a text: one of their label attributes contains it, or the key is it. */
export function suggestionsUrl(
  dataclass: string,
  labels: readonly string[],
  key: readonly SearchedAttribute[],
  text: string,
): string {
  const [only, ...more] = key;
  const isNumeric = only !== undefined && only.type !== 'string';
  const byKey =
    only !== undefined && more.length === 0 && (!isNumeric || /^-?\d+$/.test(text))
      ? [`${only.name} === :1`]
      : [];
  const conditions = [...labels.map((name) => `${name} % :1`), ...byKey];
  const attributes = [...labels, ...key.map(({ name }) => name)];
  return withParameters(dataclassPath(dataclass), {
    $filter: text === '' || conditions.length === 0 ? undefined : conditions.join(' OR '),
    $params: text === '' || conditions.length === 0 ? undefined : JSON.stringify([text]),
    $orderby: labels[0],
    $attributes: [...new Set(attributes)].join(','),
    $top: 12,
  });
}
