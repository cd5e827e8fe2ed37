import { stableUuid } from '../base/hashes.ts';
import { naturalType } from '../model/attributes.ts';
import { keeperOf } from '../model/changes.ts';
import { isUnique } from '../plan/condition/keys.ts';
import type { ApiFunction, ClientParameter } from '../model/functions/function-types.ts';
import {
  isRelation,
  isStored,
  changesOf,
  type Dataclass,
  type Member,
  type Model,
  type StorageAttribute,
} from '../model/types.ts';
import { requiredMembers, takesNull } from '../model/writable.ts';

export interface CatalogHead {
  /** The application's name. */
  readonly application: string;
  /** Identifies the running gateway. */
  readonly uniqueId: string;
  /** How users say who they are: `password`, `apiKey`, `token`; empty where nobody is asked. */
  readonly logins: readonly string[];
}

/** The catalog of some dataclasses (§2.4, §4.1) as JSON text. */
export function catalogText(
  model: Model,
  dataclasses: Iterable<Dataclass>,
  detail: 'brief' | 'full',
  head: CatalogHead,
): string {
  const { functions, singletons } = model;
  return JSON.stringify({
    __UNIQID: head.uniqueId,
    __BASEID: null,
    __NAME: head.application,
    properties: {
      supportJSONEntityKey: true,
      ...(head.logins.length === 0 ? {} : { logins: head.logins }),
    },
    methods: [...functions.values()].map(method),
    dataClasses: Array.from(dataclasses, (dataclass) =>
      detail === 'brief'
        ? {
            name: dataclass.name,
            uri: `/rest/$catalog/${encodeURIComponent(dataclass.name)}`,
            dataURI: `/rest/${encodeURIComponent(dataclass.name)}`,
          }
        : full(dataclass, model, head),
    ),
    ...(singletons.size > 0 && {
      singletons: Array.from(singletons.values(), ({ name, functions: own }) => ({
        name,
        methods: Array.from(own.values(), (called) => ({
          name: called.name,
          allowedOnHTTPGET: called.allowedOnHTTPGET,
          exposed: true,
          extraProperties: functionProperties(called),
        })),
      })),
    }),
  });
}

/** A function (§2.4). */
function method(called: ApiFunction): object {
  return {
    name: called.name,
    applyTo: called.appliesTo,
    scope: 'public',
    from: 'remoteServer',
    allowedOnHTTPGET: called.allowedOnHTTPGET,
    exposed: true,
    extraProperties: functionProperties(called),
  };
}

/** The parameters of a function, and its description. */
function functionProperties({ description, parameters }: ApiFunction): object {
  return {
    ...(description === null ? {} : { description }),
    parameters: parameters.map(parameter),
  };
}

/** A parameter with its type in the words of attributes; `dateTime` tells dates with a time of day. */
function parameter({ name, type, optional }: ClientParameter): object {
  return {
    name,
    type: naturalType(type).type,
    ...(type.kind === 'timestamp' ? { dateTime: true } : {}),
    ...(type.kind === 'text' && type.maxLength !== null ? { maxLength: type.maxLength } : {}),
    ...(optional ? { optional: true } : {}),
  };
}

function full(dataclass: Dataclass, model: Model, head: CatalogHead): object {
  const { name, number } = dataclass;
  return {
    name,
    className: name,
    collectionName: dataclass.collection,
    exposed: true,
    tableNumber: number,
    scope: 'public',
    uuid: stableUuid(head.application, name),
    dataURI: `/rest/${encodeURIComponent(name)}`,
    extraProperties: {
      panelColor: '#CCCCCC',
      position: {
        x: 40 + ((number - 1) % COLUMNS) * 260,
        y: 40 + Math.floor((number - 1) / COLUMNS) * 320,
      },
      ...(dataclass.description === null ? {} : { description: dataclass.description }),
      stamp: dataclass.stamp.kind,
      changes: changesOf(dataclass),
      ...(dataclass.readOnly === null
        ? {}
        : { readOnly: `${name} is read-only${dataclass.readOnly}.` }),
      required: [...requiredMembers(dataclass)],
      ...trackingOf(dataclass, model),
    },
    attributes: [...dataclass.members.values()].map((member, index) =>
      attribute(member, index + 1, dataclass, head),
    ),
    key: dataclass.key.map((part) => ({ name: part.name })),
    ...(dataclass.functions.size === 0
      ? {}
      : {
          methods: [...dataclass.functions.values()].map((called) => ({
            ...method(called),
            userDefined: true,
          })),
        }),
  };
}

/** How `$changes` knows what has changed, and whether it tells the keys of deleted entities; null where the dataclass has no `$changes`. */
function trackingOf(dataclass: Dataclass, model: Model): object {
  const { changes, where } = dataclass;
  if (typeof changes === 'string') return { tracking: null };
  const { source, deleted } = changes;
  const tellsDeleted =
    deleted === null
      ? source.kind === 'changeTracking' && where === null
      : keeperOf(dataclass, model) !== null;
  return { tracking: { by: source.kind, deleted: tellsDeleted } };
}

/** How many dataclasses stand in a row of the grid of structure editors, in the order of the model. */
const COLUMNS = 5;

function attribute(
  member: Member,
  number: number,
  dataclass: Dataclass,
  head: CatalogHead,
): object {
  const common = {
    name: member.name,
    kind: member.kind,
    fieldPos: number,
    scope: 'public',
    exposed: true,
    uuid: stableUuid(head.application, dataclass.name, member.name),
    ...extraProperties(member, dataclass),
  };
  if (isRelation(member)) {
    const toMany = member.kind === 'relatedEntities';
    return {
      ...common,
      type: toMany ? member.target.collection : member.target.name,
      path: toMany ? (member.inverse ?? member.through?.join('.')) : member.target.name,
      ...(toMany ? { reversePath: true } : {}),
      ...(member.foreignKey.length > 0 ? { foreignKey: member.foreignKey.join(',') } : {}),
      ...(member.inverse === null ? {} : { inverseName: member.inverse }),
      ...(member.readOnly === null ? {} : { readOnly: true }),
    };
  }
  if (member.kind === 'alias') {
    return { ...common, type: member.aliased.type, path: member.path.join('.'), readOnly: true };
  }
  const { column, columnType } = member;
  const identifying = dataclass.key.some(({ name }) => name === member.name);
  return {
    ...common,
    type: member.type,
    indexed: member.indexed,
    unique: isUnique(member, dataclass),
    not_null: !column.nullable || identifying,
    autosequence: column.identity,
    identifying,
    ...(isReadOnly(member, dataclass) ? { readOnly: true } : {}),
    ...(member.simpleDate && member.type === 'date' ? { simpleDate: true } : {}),
    ...(columnType.kind === 'text' && columnType.maxLength !== null
      ? { maxLength: columnType.maxLength }
      : {}),
  };
}

/** Properties that the protocol leaves open (§2.4): the description, the allowed values, and `optional` for what is never null, but may be left out of new entities. */
function extraProperties(member: Member, dataclass: Dataclass): object {
  const stored = isStored(member) ? member : null;
  const values = stored?.allowedValues ?? null;
  const isOptional =
    stored?.kind === 'storage' &&
    stored.readOnly === null &&
    !stored.column.nullable &&
    !stored.column.identity &&
    takesNull(stored, dataclass);
  const properties = {
    ...(member.description === null ? {} : { description: member.description }),
    ...(values === null ? {} : { values }),
    ...(isOptional ? { optional: true } : {}),
  };
  return Object.keys(properties).length === 0 ? {} : { extraProperties: properties };
}

/** Identities have `autosequence` instead; which columns of a view can be changed is not known. */
function isReadOnly({ readOnly, column }: StorageAttribute, dataclass: Dataclass): boolean {
  const { create, update } = dataclass.rights;
  return (
    (readOnly !== null && !column.identity) ||
    dataclass.readOnly !== null ||
    (create === 'denied' && update === 'denied') ||
    dataclass.table.kind === 'view'
  );
}
