import { parse } from 'yaml';
import { type Catalog, type Dataclass, readCatalog } from '../../src/explorer/rest/catalog.ts';
import { expect } from 'vitest';

type Said = Readonly<Record<string, unknown>>;

/**
 * A catalog with what a gateway answers of the dataclasses that are written in YAML: the attributes of each with their types, or with more that is said of them;
 * relations have `one` with a dataclass or `many` with a collection, such as `EmployeeSelection`, in place of a type.
 * @param more what is said of each dataclass besides
 */
export function catalogOf(dataclasses: string, more: Said = {}): Catalog {
  const all = parse(dataclasses) as Readonly<Record<string, Readonly<Record<string, Said>>>>;
  const dataClasses = Object.entries(all).map(([name, attributes]) => ({
    ...{ name, collectionName: `${name}Selection`, ...more },
    attributes: Object.entries(attributes).map(([attribute, said]) => {
      const { one, many, ...rest } = typeof said === 'string' ? { type: said } : said;
      const type = one ?? many ?? rest['type'];
      const kind = one === undefined ? (many === undefined ? 'storage' : 'relatedEntities') : null;
      return { name: attribute, kind: kind ?? 'relatedEntity', path: type, ...rest, type };
    }),
    key: Object.entries(attributes).flatMap(([attribute, { identifying }]) =>
      identifying === true ? [{ name: attribute }] : [],
    ),
  }));
  return readCatalog({ dataClasses } as never);
}

/** The first dataclass of a catalog. */
export function firstOf({ dataclasses }: Catalog): Dataclass {
  return [...dataclasses.values()][0] ?? expect.fail('There is no dataclass.');
}
