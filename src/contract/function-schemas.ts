import { type ApiFunction, columnsOf } from '../model/functions/function-types.ts';
import { dataclassRef } from './dataclass-schemas.ts';
import { anyOf, arrayOf, type JsonObject, nullable, objectOf } from './json-schema.ts';

const NO_RESULT = objectOf({ result: { type: 'null' } });

/** The schema of what a function gives (DECISIONS, "Functions"). */
export function resultSchema({ returns, routine }: ApiFunction): JsonObject {
  switch (returns.kind) {
    case 'nothing':
      return NO_RESULT;
    case 'entities': {
      const of = { name: returns.dataclass };
      return anyOf(
        dataclassRef(of, returns.one ? 'Single' : 'Collection'),
        arrayOf(dataclassRef(of, 'Row')),
        NO_RESULT,
      );
    }
    case 'row':
      return objectOf({ result: nullable(rowSchema(routine)) });
    case 'rows':
      return objectOf({ result: arrayOf(rowSchema(routine)) });
    case 'all':
      return objectOf({
        result: objectOf({
          returnValue: {},
          output: { type: 'object' },
          resultSets: arrayOf(arrayOf({ type: 'object' })),
        }),
      });
    case 'value':
    case 'output':
      return objectOf({ result: {} });
  }
}

/** The schemas of what functions give, each once. */
export function resultSchemas(functions: readonly ApiFunction[]): JsonObject[] {
  const schemas = functions.map(resultSchema);
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

/** A row of a routine's answer, with its columns where the database tells them. */
function rowSchema(routine: ApiFunction['routine']): JsonObject {
  const columns = columnsOf(routine);
  const byName = Object.fromEntries(columns?.map(({ name }) => [name, {}]) ?? []);
  return Object.keys(byName).length === columns?.length ? objectOf(byName) : { type: 'object' };
}
