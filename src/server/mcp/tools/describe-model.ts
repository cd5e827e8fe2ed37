import { findDataclass } from '../../../model/lookup.ts';
import type { ApiFunction } from '../../../model/functions/function-types.ts';
import type { Model } from '../../../model/types.ts';
import { briefly, inDetail } from '../model-text.ts';
import { functionToolNames } from './functions.ts';
import { pageSchemas, textOf } from './reading.ts';
import { namesSchema } from './schemas.ts';
import { READS, type Tool } from './tool.ts';

/** How many dataclasses are described at once. */
const MOST_DESCRIBED = 50;

const NO_TOOLS: ReadonlyMap<ApiFunction, string> = new Map();

/** The tool that describes the model, as the caller sees it. */
export function describeModel(model: Model, offered: readonly string[]): Tool {
  return {
    name: 'describe_model',
    title: 'Describe the model',
    description:
      'Lists the dataclasses or, for those named, describes their attributes, relations and functions, and what may be changed. Begin here.',
    parameters: {
      dataclasses: {
        ...namesSchema,
        maxItems: MOST_DESCRIBED,
        description: 'The names of dataclasses to describe; their list where it is left out.',
      },
      skip: pageSchemas.skip,
    },
    required: [],
    annotations: READS,
    call: (given) => {
      const { dataclasses: named, skip: passed } = given;
      const skip = Number(passed ?? 0);
      const names = Array.isArray(named) ? named.map(textOf) : [];
      const list = names.length === 0 ? briefly(model) : describedIn(model, names, offered);
      return { text: JSON.stringify(list.slice(skip)), window: { skip, top: Infinity } };
    },
  };
}

/** Dataclasses in detail. @param offered the tools that there are @throws ProtocolError noSuchDataclass, with the nearest names */
export function describedIn(
  model: Model,
  names: readonly string[],
  offered: readonly string[],
): object[] {
  const tools = offered.includes('functions') ? functionToolNames(model) : NO_TOOLS;
  return names.map((name) =>
    inDetail(findDataclass(model, name), (called) => tools.get(called) ?? null),
  );
}
