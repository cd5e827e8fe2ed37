import { parsed } from '../rows.ts';
import type { DataclassName } from './dataclasses.ts';
import {
  bareArray,
  collection,
  inKeyOrder,
  oneEntity,
  reach,
  relationTarget,
  rowAt,
  rowsOf,
  type Page,
  type Row,
} from './oracle.ts';
import type { Case } from './suite.ts';

/**
 * Requests with what they answer: `title | URL | answer`, and the page, where it is not the one that the parameters of the URL say.
 *
 * An answer is an entity, `Employee(1)`, what a path leads to from it, `Employee(4).manager`, or `Order(7).lines[]` where it leads to many, entities by their
 * keys, `Employee(1,2)[]`, all of a dataclass, `Employee[]`, or `named of Employee`; `array` before these is the bare array.
 * @param named rows that lines name
 */
export function readLines(
  lines: readonly (readonly (string | undefined)[])[],
  named: Readonly<Record<string, readonly Row[]>> = {},
): readonly Case[] {
  return lines.map(([title = '', url = '', answer = '', page]) => {
    const read = { title, url: `/rest/${url}` };
    try {
      const own = page === undefined ? pageOf(url) : parsed<Page>(page);
      return { ...read, body: answerOf(answer, own, named) };
    } catch (error) {
      return { ...read, body: error };
    }
  });
}

function answerOf(
  answer: string,
  page: Page,
  named: Readonly<Record<string, readonly Row[]>>,
): unknown {
  const [, array, name, dataclass = '', keys, path = '', many] =
    /^(array )?(?:(\w+) of )?(\w+)(?:\((.*)\))?((?:\.\w+)*)(\[\])?$/.exec(answer) ?? [];
  const own = dataclass as DataclassName;
  const relations = path.split('.').slice(1);
  const target = relations.reduce<string>(relationTarget, dataclass);
  const found: readonly Row[] | undefined =
    name === undefined
      ? keys === undefined
        ? inKeyOrder<Row>(own, rowsOf(own))
        : keys.split(',').map((key) => rowAt(own, ...key.split(';').map(partOf)))
      : named[name];
  if (found === undefined) throw new Error(`there are no rows for ${answer}`);
  if (many === undefined && name === undefined) {
    const [one] = reach(dataclass, found[0] ?? {}, ...relations);
    return one === undefined ? null : oneEntity(target, one, page);
  }
  const rows =
    relations.length === 0
      ? found
      : inKeyOrder(target, reach(dataclass, found[0] ?? {}, ...relations));
  return array === undefined ? collection(target, rows, page) : bareArray(target, rows, page);
}

function partOf(text: string): string | number {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/** What the parameters of a URL say of a page. */
function pageOf(url: string): Page {
  const given = url
    .slice(url.indexOf('?') + 1)
    .split('&')
    .map((parameter) => parameter.replace(/["' ]/g, '').split('='));
  const {
    $top,
    $limit = $top,
    $skip,
    $attributes = '',
    $expand,
  } = Object.fromEntries(given) as Partial<Record<string, string>>;
  return {
    ...($limit === undefined ? {} : { top: Number($limit) }),
    ...($skip === undefined ? {} : { skip: Number($skip) }),
    ...($attributes === '' ? {} : { attributes: $attributes }),
    ...($expand === undefined ? {} : { expand: $expand }),
  };
}
