import { orderText, type Combination, type Selection } from './selection.ts';

/** Parameters of a request, in their order; those that are undefined or empty are left out. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

/**
 * Escapes a value for a URL, and leaves readable what needs no escape there. Both quotes are escaped, so that the URL can stand between quotes of
 * a shell; the gateway takes `%22` for a quote (docs/reading.md, "URLs").
 */
export function escapeValue(text: string): string {
  return encodeURIComponent(text)
    .replaceAll("'", '%27')
    .replace(/%(?:2C|3A|2F|40|3D|24|3B)/g, (escape) => decodeURIComponent(escape));
}

/** A value in quotes: then nothing in it can end it, `&` being escaped. */
export function quoted(text: string): string {
  return `%22${escapeValue(text)}%22`;
}

/** A URL of a path below `/rest/` and parameters whose values are escaped already. */
export function restUrl(path: string, parameters: Parameters): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${value}`],
  );
  return `/rest/${path}${given.length === 0 ? '' : '?'}${given.join('&')}`;
}

/** The parameters of a selection: its filter, the filter's values, and its order. */
export function selectionParameters({ filter = '', params = '', order = [] }: Selection): Parameters {
  return {
    $filter: filter.trim() === '' ? undefined : quoted(filter),
    $params: filter.trim() === '' ? undefined : escapeValue(params),
    $orderby: order.length === 0 ? undefined : quoted(orderText(order)),
  };
}

/** The path of an entity set below `/rest/`. */
export function setPath(dataclass: string, id: string): string {
  return `${encodeURIComponent(dataclass)}/$entityset/${id}`;
}

/** The parameters of a combination with another set. */
export function combinationParameters(
  { operator }: Pick<Combination, 'operator'>,
  otherId: string,
): Parameters {
  return { $logicOperator: operator, $otherCollection: otherId };
}

/** `$attributes` of paths. */
export function attributesParameter(paths: readonly string[]): Parameters {
  return { $attributes: paths.length === 0 ? undefined : paths.map(escapeValue).join(',') };
}

/** The path of one attribute of a selection's entities, for `$compute` and `$distinct`: `Employee/grade`, `Employee/$entityset/ID/grade`. */
export function attributePath(path: string, attribute: string): string {
  return `${path}/${escapeValue(attribute)}`;
}

/** The id of a set, of the URI that the gateway has told in `__ENTITYSET`. */
export function setId(uri: string): string {
  return /\$entityset\/([^/?]+)/.exec(uri)?.[1] ?? '';
}
