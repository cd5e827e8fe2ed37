import { FLAG, type JsonObject as Schema } from '../../../contract/json-schema.ts';
import { ProtocolError } from '../../../base/errors.ts';
import { findDataclass } from '../../../model/lookup.ts';
import { type Change, type Dataclass, mayChange, type Model } from '../../../model/types.ts';
import { isJsonObject, type JsonObject } from '../../../protocol/body/json.ts';
import { dataclassPath, type RestCall, restUrl } from '../rest-call.ts';
import { dataclassSchema, textOf } from './reading.ts';
import { type Arguments, CHANGES, keySchema, type Tool } from './tool.ts';

const stampSchema: Schema = {
  type: 'integer',
  minimum: 0,
  description: 'The __STAMP that the entity was read with.',
};

const dryRunSchema: Schema = {
  ...FLAG,
  default: true,
  description:
    'Whether the database only tries it, and takes it back. Pass false to do it, once your user agrees.',
};

/** The tools that change entities, as far as the caller may change any. */
export function writingTools(model: Model): Tool[] {
  const dataclass = dataclassSchema(model);
  const find = (given: Arguments): Dataclass => findDataclass(model, textOf(given['dataclass']));
  const save: Tool = {
    name: 'save',
    title: 'Save an entity',
    description:
      'Updates an entity by its key and stamp, or creates one without them. By default this is a dry run: it answers what a save would answer, and nothing is saved.',
    parameters: {
      dataclass,
      key: keySchema,
      stamp: stampSchema,
      values: {
        type: 'object',
        additionalProperties: true,
        description:
          'The new values by attribute; of a relation to one, the key of the other entity.',
      },
      dryRun: dryRunSchema,
    },
    required: ['dataclass', 'values'],
    annotations: CHANGES,
    call: (given) => saveCall(find(given), given),
  };
  const remove: Tool = {
    name: 'delete',
    title: 'Delete an entity',
    description:
      'Deletes an entity by its key and stamp. By default this is a dry run: it answers whether a delete would succeed, and nothing is deleted. ' +
      'Find what to delete with ===: by =, @ in a value, as of an e-mail address, stands for any text, and the API refuses it in a delete by filter.',
    parameters: { dataclass, key: keySchema, stamp: stampSchema, dryRun: dryRunSchema },
    required: ['dataclass', 'key', 'stamp'],
    annotations: { ...CHANGES, idempotentHint: true },
    call: (given) => writeCall(find(given), 'delete', given),
  };
  return [
    ...(mayChangeAny(model, 'create', 'update') ? [save] : []),
    ...(mayChangeAny(model, 'delete') ? [remove] : []),
  ];
}

function mayChangeAny({ dataclasses }: Model, ...changes: readonly Change[]): boolean {
  return [...dataclasses.values()].some((dataclass) => mayChange(dataclass, ...changes));
}

function saveCall(dataclass: Dataclass, given: Arguments): RestCall {
  const values: JsonObject = isJsonObject(given['values']) ? given['values'] : {};
  const own = Object.keys(values).find((name) => name.startsWith('__'));
  if (own === undefined) return writeCall(dataclass, 'update', given, values);
  const message = `values holds attributes and relations of ${dataclass.name}, and no ${own}: give key and stamp beside it.`;
  throw new ProtocolError('badParameters', message);
}

/** What is said of a write that is done, and of one that was only tried. */
const NOTES = {
  update: {
    done: 'The entity is saved.',
    tried: 'A dry run: nothing is saved yet. Send the same call with dryRun: false to save it.',
  },
  delete: {
    done: 'The entity is deleted.',
    tried: 'A dry run: nothing is deleted yet. Send the same call with dryRun: false to delete it.',
  },
} as const;

function writeCall(
  dataclass: Dataclass,
  $method: keyof typeof NOTES,
  { key, stamp, dryRun }: Arguments,
  values: JsonObject = {},
): RestCall {
  const isDry = dryRun !== false;
  const { done, tried } = NOTES[$method];
  return {
    url: restUrl(dataclassPath(dataclass), { $method, $refresh: isDry ? 'true' : undefined }),
    body: {
      ...values,
      ...(key === undefined ? {} : { __KEY: key }),
      ...(stamp === undefined ? {} : { __STAMP: stamp }),
    },
    note: isDry ? tried : done,
  };
}
