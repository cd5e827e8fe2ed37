import { isMap, isScalar, isSeq, parseDocument, type Scalar, stringify, visit } from 'yaml';
import type { MappingFile, RelationSetting } from '../../config/mapping.ts';
import { rangeOf } from '../../config/document/yaml.ts';
import { mappedName } from '../../model/lookup.ts';
import { dataclassName } from '../../model/naming.ts';
import { type RenamedFile, targetOf } from './renames.ts';

/** A dataclass with its old names, and the new ones by them. */
interface Renamed {
  readonly dataclass: string;
  readonly relations: Readonly<Record<string, RelationSetting>>;
  readonly members: ReadonlyMap<string, string>;
}

/** Replaces names in the texts of mapping files, also where files name dataclasses, relations and attributes of each other; every other byte stays. */
export class NameReplacer {
  readonly #classes: ReadonlyMap<string, string>;
  readonly #collections: ReadonlyMap<string, string>;
  readonly #sides: ReadonlyMap<string, Renamed>;

  constructor(files: readonly MappingFile[], renamed: readonly RenamedFile[]) {
    const changesOf = (wanted: readonly string[], { changes }: RenamedFile) =>
      changes.flatMap(({ what, from, to }) => (wanted.includes(what) ? [[from, to] as const] : []));
    this.#classes = new Map(renamed.flatMap((file) => changesOf(['dataclass'], file)));
    this.#collections = new Map(renamed.flatMap((file) => changesOf(['collection'], file)));
    const bySource = new Map(renamed.map((file) => [file.source, file]));
    const sides = files.map((source): Renamed => {
      const file = bySource.get(source);
      return {
        dataclass: dataclassOf(source),
        relations: source.mapping.relations ?? {},
        members: new Map(file === undefined ? [] : changesOf(['attribute', 'relation'], file)),
      };
    });
    this.#sides = new Map(sides.map((side) => [side.dataclass, side]));
  }

  /** Replaces the names in a mapping file. @param dataclass its old name; null for a file of functions */
  replace(text: string, dataclass: string | null): string {
    const side = dataclass === null ? undefined : this.#sides.get(dataclass);
    const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
    const edit = (node: unknown, change: (source: string, value: string) => string): void => {
      const [from, to] = rangeOf(node) ?? [];
      if (!isScalar(node) || from === undefined || to === undefined) return;
      const source = text.slice(from, to);
      const changed = change(source, String(node.value));
      if (changed !== source) edits.push({ from, to, text: changed });
    };
    const name =
      (names: ReadonlyMap<string, string> | undefined) => (source: string, value: string) => {
        const renamed = names?.get(value);
        return renamed === undefined ? source : scalarText(renamed);
      };
    const path = (source: string, value: string): string => {
      const changed = this.#path(value.split('.'), side).join('.');
      return changed === value ? source : scalarText(changed);
    };
    visit(parseDocument(text), {
      Pair: (_, { key, value }, ancestors) => {
        const depth = ancestors.filter((node) => isMap(node)).length;
        const section = sectionOf(ancestors);
        const setting = isScalar(key) ? String(key.value) : '';
        if (depth === 1) {
          if (setting === 'dataclass') edit(value, name(this.#classes));
          if (setting === 'collection') edit(value, name(this.#collections));
          if (setting === 'where') edit(value, (source) => this.#condition(source, side));
        } else if (depth === 2 && (section === 'attributes' || section === 'relations')) {
          edit(key, name(side?.members));
        } else if (section === 'attributes' && setting === 'alias') {
          edit(value, path);
        } else if (section === 'relations' && setting === 'to') {
          edit(value, name(this.#classes));
        } else if (section === 'relations' && setting === 'inverse') {
          edit(value, (source, inverse) => {
            const changed = this.#inverse(inverse, side);
            return changed === inverse ? source : scalarText(changed);
          });
        } else if (section === 'relations' && setting === 'through' && isSeq(value)) {
          const names = value.items.map((item) => String((item as Scalar).value));
          const changed = this.#path(names, side);
          for (const [index, item] of value.items.entries()) {
            edit(item, (source) =>
              changed[index] === names[index] ? source : scalarText(changed[index] ?? ''),
            );
          }
        } else if (setting === 'dataclass') {
          edit(value, name(this.#classes));
        }
      },
    });
    return edits
      .toSorted((a, b) => b.from - a.from)
      .reduce(
        (all, { from, to, text: changed }) => all.slice(0, from) + changed + all.slice(to),
        text,
      );
  }

  #inverse(inverse: string, side: Renamed | undefined): string {
    const [owner = '', relation] = inverse.split('.');
    if (relation === undefined) return side?.members.get(owner) ?? owner;
    const members = this.#sides.get(owner)?.members;
    return `${this.#classes.get(owner) ?? owner}.${members?.get(relation) ?? relation}`;
  }

  #path(names: readonly string[], start: Renamed | undefined): string[] {
    let here: Renamed | null = start ?? null;
    return names.map((name) => {
      const renamed = here?.members.get(name) ?? name;
      here = here === null ? null : targetOf(here, here.relations[name], this.#sides);
      return renamed;
    });
  }

  /** Replaces names in a condition, except in its texts. */
  #condition(source: string, side: Renamed | undefined): string {
    const quote = /^["']/.exec(source)?.[0] ?? '';
    const inner = source.slice(quote.length, source.length - quote.length);
    const changed = inner.replace(
      /\\?"[^"]*"|'[^']*'|[\p{L}_][\p{L}\p{M}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{M}\p{N}_]*)*/gu,
      (part) => (/^[\\"']/.test(part) ? part : this.#path(part.split('.'), side).join('.')),
    );
    return quote + changed + quote;
  }
}

/** Returns the dataclass of a mapping file. */
export function dataclassOf({ mapping }: MappingFile): string {
  return mapping.dataclass ?? dataclassName(mappedName(mapping)?.name ?? '');
}

/** Returns the setting at the top of a file that an entry stands in. */
function sectionOf(ancestors: readonly unknown[]): string {
  const [, , pair] = ancestors as readonly { readonly key?: unknown }[];
  const key = pair?.key;
  return isScalar(key) ? String(key.value) : '';
}

function scalarText(name: string): string {
  return stringify(name).trimEnd();
}
