import { errorTable } from '../base/errors.ts';
import { CHART_GROUPS } from '../config/report.ts';
import {
  anyOf,
  arrayOf,
  COUNT,
  FLAG,
  type JsonObject,
  NULL,
  nullable,
  objectOf,
  openObject,
  schemaRef,
  TEXT,
} from './json-schema.ts';
import type { ValueSettings } from './value-schemas.ts';

const NUMBER: JsonObject = { type: 'number' };
const TRUE: JsonObject = { const: true };
const FALSE: JsonObject = { const: false };
const TIME: JsonObject = { type: 'string', format: 'date-time' };

/** The version of an entity (§2.1). */
export const STAMP: JsonObject = { type: 'integer' };

/** `__GlobalStamp` (§2.3). */
export const GLOBAL_STAMP: JsonObject = {
  type: 'integer',
  description: 'A number that grows with changes anywhere in the database.',
};

/** The member `__ERROR` (§7). */
export const ERRORS: JsonObject = schemaRef('protocol.ErrorList');

const ERROR_LIST: JsonObject = {
  type: 'array',
  minItems: 1,
  items: objectOf({
    message: TEXT,
    componentSignature: { const: 'dbmg' },
    errCode: {
      type: 'integer',
      enum: [...new Set(Object.values(errorTable).map(({ code }) => code))].sort((a, b) => a - b),
    },
  }),
};

/** `__STATUS` of an entity that was saved or deleted, or was not (§4.6 rule 4; §7). */
const SAVE_STATUS: JsonObject = objectOf(
  {
    success: FLAG,
    created: FLAG,
    status: { const: 2 },
    statusText: { const: 'Stamp has changed' },
  },
  ['created', 'status', 'statusText'],
);

const COMPUTED_VALUE: JsonObject = { type: ['number', 'string', 'boolean', 'null'] };

/** The schemas that are the same for all dataclasses, by their names in the components. */
export function protocolSchemas({ bigNumbersAsStrings }: ValueSettings): JsonObject {
  const sum = bigNumbersAsStrings ? { type: ['number', 'string', 'null'] } : nullable(NUMBER);
  return {
    'protocol.ErrorList': ERROR_LIST,
    'protocol.Errors': objectOf({ __ERROR: ERRORS }),
    'protocol.Page': openObject(
      {
        __ENTITYSET: { type: 'string', description: 'The URI of the entity set that was made.' },
        __GlobalStamp: GLOBAL_STAMP,
        __COUNT: COUNT,
        __FIRST: COUNT,
        __SENT: COUNT,
        ...planProperties,
      },
      ['__ENTITYSET', '__COUNT', ...Object.keys(planProperties)],
    ),
    'protocol.Related': openObject({
      __ENTITYSET: { type: ['string', 'null'] },
      __GlobalStamp: GLOBAL_STAMP,
      __COUNT: COUNT,
      __FIRST: { const: 0 },
      __SENT: COUNT,
    }),
    'protocol.Changes': openObject(
      {
        __REMOVED: {
          ...arrayOf(TEXT),
          description:
            'Keys of entities to remove, before those of __ENTITIES are added; only where they can be told.',
        },
        __SENT: COUNT,
        __MORE: { ...FLAG, description: 'Whether the next page has more of these changes.' },
        __TOKEN: { ...TEXT, description: 'The value of since for what comes next.' },
      },
      ['__REMOVED'],
    ),
    'protocol.Plans': openObject(planProperties, Object.keys(planProperties)),
    'protocol.Saved': openObject({ __STATUS: SAVE_STATUS, __STAMP: STAMP, __ERROR: ERRORS }, [
      '__STAMP',
      '__ERROR',
    ]),
    'protocol.Intersects': { ...FLAG, description: 'What $logicOperator=INTERSECT asks.' },
    'protocol.Ok': objectOf({ ok: TRUE }),
    'protocol.Deferred': objectOf({ __deferred: objectOf({ uri: TEXT, __KEY: TEXT }) }),
    'protocol.DeferredSelection': objectOf({ __deferred: objectOf({ uri: TEXT }) }),
    'protocol.DeferredContent': objectOf({
      __KEY: TEXT,
      __STAMP: STAMP,
      uri: TEXT,
      __deferred: objectOf({ uri: TEXT, image: TRUE }, ['image']),
    }),
    'protocol.UndefinedReference': {
      ...objectOf({ __STAMP: { const: 0 } }),
      description: 'Stands in an entity set for an entity that is not there any more.',
    },
    'protocol.NoImage': {
      ...objectOf({}),
      description: 'The image cannot be had in the wanted format, or there is none.',
    },
    'protocol.Dashboard': objectOf(
      {
        schema: arrayOf(
          objectOf({
            name: TEXT,
            dataType: { enum: ['NUMBER', 'STRING', 'BOOLEAN'] },
            semantics: objectOf({
              conceptType: { enum: ['METRIC', 'DIMENSION'] },
              semanticGroup: { enum: ['NUMERIC', 'TEXT', 'BOOLEAN', 'DATETIME'] },
              semanticType: TEXT,
            }),
          }),
        ),
        rows: arrayOf(objectOf({ values: arrayOf(COMPUTED_VALUE) })),
        filtersApplied: FLAG,
        __COUNT: COUNT,
        __FIRST: COUNT,
      },
      ['__COUNT'],
    ),
    'protocol.Computed': {
      ...COMPUTED_VALUE,
      description: 'What $compute asks for: count, sum, average, min or max.',
    },
    'protocol.ComputedAll': {
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: objectOf(
        { count: COUNT, sum, average: sum, min: COMPUTED_VALUE, max: COMPUTED_VALUE },
        ['sum', 'average', 'min', 'max'],
      ),
      description: 'What $compute=$all asks for, by the name of the attribute.',
    },
    'protocol.Group': {
      type: 'object',
      properties: { uri: anyOf(TEXT, NULL) },
      required: ['uri'],
      additionalProperties: COMPUTED_VALUE,
      description: 'A group with its members by name; its entities are found by uri.',
    },
    'protocol.Groups': objectOf(
      {
        __DATACLASS: TEXT,
        __COUNT: COUNT,
        __FIRST: COUNT,
        __GROUPS: arrayOf(schemaRef('protocol.Group')),
        __SENT: COUNT,
        ...planProperties,
      },
      Object.keys(planProperties),
    ),
    'protocol.DistinctValues': arrayOf(COMPUTED_VALUE),
    'protocol.Found': objectOf({ result: { type: 'integer', minimum: -1 } }),
    'protocol.Lock': anyOf(
      objectOf({
        result: TRUE,
        __STATUS: objectOf({ success: TRUE, own: FLAG, lost: FLAG }, ['own', 'lost']),
      }),
      objectOf(
        {
          result: FALSE,
          __STATUS: objectOf(
            {
              success: FALSE,
              status: { enum: [2, 3, 4, 5] },
              statusText: TEXT,
              lockKind: { enum: [1, 7] },
              lockKindText: { enum: ['Locked by session', 'Locked by record'] },
              lockInfo: objectOf({
                host: TEXT,
                IPAddr: TEXT,
                recordNumber: { type: 'integer' },
                userAgent: TEXT,
              }),
            },
            ['lockKind', 'lockKindText', 'lockInfo'],
          ),
          __ERROR: ERRORS,
        },
        ['__ERROR'],
      ),
    ),
    'protocol.Deleted': objectOf({
      ok: FLAG,
      __ENTITIES: arrayOf(
        objectOf({ __STATUS: SAVE_STATUS, __KEY: TEXT, __ERROR: ERRORS }, ['__KEY', '__ERROR']),
      ),
    }),
    ...planSchemas,
    ...serviceSchemas,
  };
}

const PARTS = arrayOf(schemaRef('protocol.PlanNode'));
const OPERATOR = { enum: ['And', 'Or', 'Except', 'Not'] };
const JOIN = objectOf(
  {
    leftTable: TEXT,
    leftField: nullable(TEXT),
    leftInstance: COUNT,
    rightTable: TEXT,
    rightField: nullable(TEXT),
    rightInstance: COUNT,
  },
  ['leftField', 'rightField'],
);
const CONDITION = {
  type: { const: 'SeqNode' },
  field: TEXT,
  table: TEXT,
  instance: COUNT,
  oper: TEXT,
  value: {},
};

/** Query plans (§2.6). */
const planSchemas: JsonObject = {
  'protocol.PlanItem': anyOf(
    objectOf({ item: TEXT, subquery: arrayOf(objectOf({ item: TEXT })) }, ['subquery']),
    {
      type: 'object',
      propertyNames: OPERATOR,
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: arrayOf(schemaRef('protocol.PlanItem')),
    },
  ),
  'protocol.PlanNode': anyOf(
    objectOf({ type: { const: 'LogicOperatorNode' }, logicOper: OPERATOR, parts: PARTS }),
    objectOf(CONDITION),
    objectOf({
      type: { const: 'JoinNode' },
      table: TEXT,
      targetTable: TEXT,
      instance: COUNT,
      joinPath: arrayOf(JOIN),
      filter: objectOf(CONDITION),
    }),
  ),
  'protocol.PlanStep': objectOf({
    description: TEXT,
    time: NUMBER,
    recordsfounds: COUNT,
    steps: arrayOf(schemaRef('protocol.PlanStep')),
  }),
};

/** The members of an answer that `$queryplan` and `$querypath` add. */
const planProperties: JsonObject = {
  __queryPlan: schemaRef('protocol.PlanItem'),
  __extendedQueryPlan: schemaRef('protocol.PlanNode'),
  __queryPath: objectOf({ steps: arrayOf(schemaRef('protocol.PlanStep')) }),
  __sql: arrayOf(objectOf({ role: TEXT, path: TEXT, text: TEXT }, ['path'])),
  __enginePlan: arrayOf(objectOf({ role: TEXT, path: TEXT, plan: {} }, ['path'])),
};

/** The names and types of a function's parameters, and its description. */
const FUNCTION_PROPERTIES = objectOf(
  {
    description: TEXT,
    parameters: arrayOf(
      objectOf({ name: TEXT, type: TEXT, dateTime: TRUE, maxLength: COUNT, optional: TRUE }, [
        'dateTime',
        'maxLength',
        'optional',
      ]),
    ),
  },
  ['description'],
);

const METHOD = {
  name: TEXT,
  applyTo: { enum: ['dataStore', 'dataClass', 'entityCollection', 'entity'] },
  scope: { const: 'public' },
  from: { const: 'remoteServer' },
  allowedOnHTTPGET: FLAG,
  exposed: TRUE,
  extraProperties: FUNCTION_PROPERTIES,
};

const LOGINS = {
  ...arrayOf({ enum: ['password', 'apiKey', 'token', 'oidc'] }),
  description: 'How users say who they are. Left out where users need not log in.',
};

const CATALOG = {
  __UNIQID: TEXT,
  __BASEID: NULL,
  __NAME: TEXT,
  properties: objectOf({ supportJSONEntityKey: TRUE, logins: LOGINS }, ['logins']),
  methods: arrayOf(objectOf(METHOD)),
  singletons: arrayOf(
    objectOf({
      name: TEXT,
      methods: arrayOf(
        objectOf({
          name: TEXT,
          allowedOnHTTPGET: FLAG,
          exposed: TRUE,
          extraProperties: FUNCTION_PROPERTIES,
        }),
      ),
    }),
  ),
};

const ATTRIBUTE = objectOf(
  {
    name: TEXT,
    kind: { enum: ['storage', 'calculated', 'alias', 'relatedEntity', 'relatedEntities'] },
    fieldPos: { type: 'integer', minimum: 1 },
    scope: { const: 'public' },
    exposed: TRUE,
    uuid: TEXT,
    type: TEXT,
    extraProperties: objectOf(
      {
        description: TEXT,
        values: {
          ...arrayOf(anyOf(TEXT, NUMBER)),
          description: 'The values that an enum or a check allows, beside null.',
        },
        optional: {
          ...TRUE,
          description: 'New entities may leave it out, though its values are never null.',
        },
      },
      ['description', 'values', 'optional'],
    ),
    path: TEXT,
    reversePath: TRUE,
    foreignKey: TEXT,
    inverseName: TEXT,
    indexed: FLAG,
    unique: FLAG,
    not_null: FLAG,
    autosequence: FLAG,
    identifying: FLAG,
    readOnly: TRUE,
    simpleDate: TRUE,
    maxLength: COUNT,
  },
  [
    ...['extraProperties', 'path', 'reversePath', 'foreignKey', 'inverseName', 'indexed', 'unique'],
    ...['not_null', 'autosequence', 'identifying', 'readOnly', 'simpleDate', 'maxLength'],
  ],
);

/** The answers of the gateway's own services (§2.4; DECISIONS, "Sessions and login"). */
const serviceSchemas: JsonObject = {
  'protocol.Catalog': objectOf(
    { ...CATALOG, dataClasses: arrayOf(objectOf({ name: TEXT, uri: TEXT, dataURI: TEXT })) },
    ['singletons'],
  ),
  'protocol.FullCatalog': objectOf(
    {
      ...CATALOG,
      dataClasses: arrayOf(
        objectOf(
          {
            name: TEXT,
            className: TEXT,
            collectionName: TEXT,
            exposed: TRUE,
            tableNumber: { type: 'integer', minimum: 1 },
            scope: { const: 'public' },
            uuid: TEXT,
            dataURI: TEXT,
            extraProperties: objectOf(
              {
                panelColor: TEXT,
                position: objectOf({ x: NUMBER, y: NUMBER }),
                stamp: TEXT,
                changes: arrayOf({ enum: ['create', 'update', 'delete'] }),
                readOnly: { ...TEXT, description: 'Why nobody may change its entities.' },
                required: {
                  ...arrayOf(TEXT),
                  description: 'The attributes and relations that a new entity has to have.',
                },
                tracking: {
                  ...nullable(objectOf({ by: TEXT, deleted: FLAG })),
                  description:
                    'What tells the changes of the entities ($changes), and whether deleted ones are told. Null where changes are not told.',
                },
                description: TEXT,
              },
              ['description', 'readOnly'],
            ),
            attributes: arrayOf(ATTRIBUTE),
            key: arrayOf(objectOf({ name: TEXT })),
            methods: arrayOf(objectOf({ ...METHOD, userDefined: TRUE })),
          },
          ['methods'],
        ),
      ),
    },
    ['singletons'],
  ),
  'protocol.Info': objectOf(
    {
      cacheSize: COUNT,
      usedCache: COUNT,
      pool: { type: ['object', 'null'] },
      lockCount: COUNT,
      lostLogLines: COUNT,
      entitySetCount: COUNT,
      entitySet: arrayOf(
        objectOf({
          id: TEXT,
          dataClass: TEXT,
          selectionSize: COUNT,
          sorted: FLAG,
          refreshed: TIME,
          expires: TIME,
        }),
      ),
      ProgressInfo: { type: 'array', maxItems: 0 },
      sessionInfo: arrayOf(
        objectOf({ sessionID: TEXT, userName: TEXT, lifeTime: NUMBER, expiration: TIME }),
      ),
      privileges: objectOf({ privileges: arrayOf(objectOf({ privilege: TEXT })) }),
    },
    ['cacheSize', 'usedCache', 'pool', 'lockCount', 'lostLogLines'],
  ),
  'protocol.Reports': objectOf({
    reports: arrayOf(
      objectOf({
        name: TEXT,
        title: TEXT,
        description: nullable(TEXT),
        dataclass: TEXT,
        groupby: nullable(TEXT),
        aggregate: nullable(TEXT),
        having: nullable(TEXT),
        filter: nullable(TEXT),
        orderby: nullable(TEXT),
        top: nullable(COUNT),
        chart: { enum: Object.keys(CHART_GROUPS) },
      }),
    ),
  }),
  'protocol.GlobalStamp': objectOf({ __GlobalStamp: GLOBAL_STAMP }),
  'protocol.Upload': objectOf({ ID: TEXT }),
  'protocol.Result': objectOf({ result: FLAG }),
  'protocol.LoggedOut': objectOf(
    {
      result: TRUE,
      signOut: {
        ...TEXT,
        description: 'Where the user signs out of the identity provider, too, with a browser.',
      },
    },
    ['signOut'],
  ),
  'protocol.User': objectOf(
    {
      result: anyOf(
        objectOf({ userName: TEXT, fullName: TEXT, ID: TEXT, roles: arrayOf(TEXT) }),
        NULL,
      ),
      logins: LOGINS,
      signIn: {
        ...TEXT,
        description: 'The identity provider where users sign in with a browser, at /oidc/sign-in.',
      },
    },
    ['logins', 'signIn'],
  ),
};
