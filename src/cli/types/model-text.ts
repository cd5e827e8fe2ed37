import type { Model } from '../../model/types.ts';
import { type TextNames, withoutComments } from './client-text.ts';
import { dataclassDescription, dataclassText } from './dataclass-text.ts';
import { functionDescriptions, functionMembers, type TypeNames } from './function-text.ts';
import { literal, objectType } from './typescript.ts';

/** Prints a model. @param client the names of the client, which no type of the model has */
export function modelText(
  { dataclasses, functions, singletons }: Model,
  client: TextNames,
): { readonly text: string; readonly imports: readonly string[] } {
  const names = typeNames(dataclasses.keys(), client.taken);
  const texts = Array.from(dataclasses.values(), (dataclass) => dataclassText(dataclass, names));
  const groups = Array.from(singletons.values(), ({ name, functions: own }) => ({
    name,
    type: objectType(functionMembers(own.values(), names, '      '), '    '),
  }));
  const model = objectType([
    {
      name: 'dataclasses',
      type: objectType(
        Array.from(dataclasses.values(), ({ name, description }) => ({
          name,
          type: `${names.get(name) ?? name}Types`,
          doc: [description ?? ''],
        })),
        '  ',
      ),
    },
    {
      name: 'functions',
      type: objectType(functionMembers(functions.values(), names, '    '), '  '),
    },
    { name: 'singletons', type: objectType(groups, '  ') },
  ]);
  const described = Array.from(
    dataclasses.values(),
    (dataclass) =>
      `    ${literal({ [dataclass.name]: dataclassDescription(dataclass) }).slice(2, -2)},\n`,
  );
  const singletonForms = Object.fromEntries(
    Array.from(singletons.values(), ({ name, functions: own }) => [
      name,
      functionDescriptions(own.values()),
    ]),
  );
  const text = `${texts.join('\n')}
/** The model as this client sees it. */
export interface Model ${model}

/** What the client knows of the model when it runs. */
export const model: ModelDescription<Model> = {
  dataclasses: {
${described.join('')}  },
  functions: ${literal(functionDescriptions(functions.values()))},
  singletons: ${literal(singletonForms)},
};
`;
  // Names of members stand in front of a colon, those of dataclasses in quotes.
  const used = new Set(withoutComments(text).match(/(?<![\w'])[A-Z]\w*(?!\w|\??:)/g));
  return { text, imports: [...client.exported].filter((name) => used.has(name)).sort() };
}

/** What is added to the name of a dataclass for its types. */
const SUFFIXES = ['', 'Input', 'Insert', 'Update', 'Types'];

/** Names that the printed types use, and the model's own. */
const TAKEN = ['Model', 'Omit', 'Exclude', 'Partial'];

/** A name for the types of each dataclass: its own, unless the types of another one, or the client, have it. */
function typeNames(dataclasses: Iterable<string>, taken: ReadonlySet<string>): TypeNames {
  const used = new Set([...taken, ...TAKEN]);
  const names = new Map<string, string>();
  for (const name of dataclasses) {
    const plain = (name.charAt(0).toUpperCase() + name.slice(1)).replace(
      /[^\p{ID_Continue}$]/gu,
      '_',
    );
    const candidates = [plain, `${plain}Entity`];
    for (let number = 2; !names.has(name); number += 1) {
      const found = candidates.find((candidate) =>
        SUFFIXES.every((suffix) => !used.has(candidate + suffix)),
      );
      if (found === undefined) candidates.push(`${plain}Entity${number}`);
      else {
        names.set(name, found);
        for (const suffix of SUFFIXES) used.add(found + suffix);
      }
    }
  }
  return names;
}
