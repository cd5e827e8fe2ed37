import { splitUrl } from '../../../src/protocol/url/url.ts';
import type { Asked } from '../denials/endpoints.ts';

/** A request of REST, and the call of a tool that means the same. */
export interface Pair {
  readonly rest: Asked;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** `/rest/Company(9)/creditLimit`, with at most one name behind the dataclass. */
const PATH = /^\/rest\/([A-Za-z]\w*)(?:\(([^():,]+)\))?(?:\/([\w.]+))?$/;

const list = (text: string | undefined): readonly string[] | undefined => text?.split(',');

/** The call of a tool that means the same as a request; null where no tool does: agents have no sets, no paths over relations, no locks and no bytes. */
export function asTool({ verb, url, body }: Asked): Pair | null {
  const { path, parameters } = splitUrl(url);
  const [, dataclass, key, segment] = PATH.exec(path) ?? [];
  if (dataclass === undefined || verb === 'HEAD') return null;
  const given = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
  if (verb === 'GET') return asRead({ verb, url }, { dataclass, key, segment }, given);
  return segment === undefined ? asWrite({ verb, url, body }, dataclass, key, given) : null;
}

interface Addressed {
  readonly dataclass: string;
  readonly key: string | undefined;
  readonly segment: string | undefined;
}

function asRead(
  rest: Asked,
  { dataclass, key, segment }: Addressed,
  given: Readonly<Record<string, string>>,
): Pair | null {
  const {
    $filter: filter,
    $orderby: order,
    $attributes,
    $expand,
    $top,
    $skip,
    $compute,
    $distinct,
    ...others
  } = given;
  if (Object.keys(others).length > 0) return null;
  const attribute = segment ?? $attributes;
  // An attribute in the path may also be taken for a key, of which the message of REST tells.
  const url =
    segment === undefined ? rest.url : rest.url.replace(`/${segment}?`, `?$attributes=${segment}&`);
  if ($compute !== undefined) {
    if (key !== undefined || order !== undefined) return null;
    return {
      rest: { ...rest, url },
      tool: 'compute',
      args: { dataclass, attribute, function: $compute.replace('$', ''), filter },
    };
  }
  const top = Number($top ?? 100);
  if ($distinct !== undefined) {
    if (key !== undefined || order !== undefined) return null;
    const page = $top === undefined ? `${url}&$top=100` : url;
    return {
      rest: { ...rest, url: page },
      tool: 'distinct',
      args: { dataclass, attribute, filter, top },
    };
  }
  if (segment !== undefined) return null;
  const shown = { attributes: list($attributes), expand: list($expand) };
  if (key !== undefined) {
    if (filter !== undefined || order !== undefined) return null;
    const plain = key.replace(/^"(.*)"$/, '$1');
    return { rest, tool: 'read', args: { dataclass, key: plain, ...shown } };
  }
  const skip = Number($skip ?? 0);
  return { rest, tool: 'query', args: { dataclass, filter, order, top, skip, ...shown } };
}

function asWrite(
  { verb, url, body }: Asked,
  dataclass: string,
  key: string | undefined,
  given: Readonly<Record<string, string>>,
): Pair | null {
  const isPlain = Object.keys(given).every((name) => name === '$method' || name === '$refresh');
  if (!isPlain || url.includes('"')) return null;
  const isDelete = verb === 'DELETE' || given['$method'] === 'delete';
  const sent = (body === undefined ? {} : JSON.parse(body)) as Record<string, unknown>;
  if (Array.isArray(sent)) return null;
  const { __KEY: own = key, __STAMP: stamp = isDelete ? 1 : undefined, ...values } = sent;
  if (typeof stamp === 'number' && stamp < 0) return null;
  if (isDelete && own === undefined) return null;
  const method = isDelete ? 'delete' : 'update';
  return {
    rest: {
      verb: 'POST',
      url: `/rest/${dataclass}?$method=${method}&$refresh=true`,
      body: JSON.stringify({ ...values, __KEY: own, __STAMP: stamp }),
    },
    tool: isDelete ? 'delete' : 'save',
    args: { dataclass, key: own, stamp, ...(isDelete ? {} : { values }) },
  };
}
