import { type Dataclass, mayChange } from '../model/types.ts';
import {
  anyOf,
  arrayOf,
  jsonContent,
  type JsonObject,
  objectOf,
  type PathEntry,
  schemaRef,
  TEXT,
} from './json-schema.ts';
import { operationParameters, pathParameter } from './parameters.ts';
import { changeResponses, readResponses, response } from './responses.ts';

const TAG = 'services';

/** The paths of the gateway's own services (§2.4; DECISIONS, "Sessions and login"). */
export function* servicePaths(dataclasses: readonly Dataclass[]): Generator<PathEntry> {
  const names = pathParameter('dataclasses', 'Names of dataclasses with commas between them.');
  yield ['/rest', { get: reads('readRoot', 'Lists the dataclasses', 'Catalog') }];
  yield ['/rest/$catalog', { get: reads('readCatalog', 'Lists the dataclasses', 'Catalog') }];
  yield [
    '/rest/$catalog/$all',
    { get: reads('readFullCatalog', 'Describes all dataclasses', 'FullCatalog') },
  ];
  yield [
    '/rest/$catalog/{dataclasses}',
    {
      parameters: [names],
      get: reads('readSomeOfCatalog', 'Describes dataclasses', 'FullCatalog'),
    },
  ];
  yield [
    '/rest/$openapi',
    {
      get: operation('readOpenApi', 'Answers this document', {
        responses: readResponses(
          response('An OpenAPI document of what the caller sees', {
            type: 'object',
            properties: { openapi: TEXT, info: { type: 'object' }, paths: { type: 'object' } },
            required: ['openapi', 'info', 'paths'],
          }),
        ),
      }),
    },
  ];
  yield [
    '/rest/$reports',
    { get: reads('readReports', 'Lists the reports of the report files', 'Reports') },
  ];
  yield [
    '/rest/$stamp',
    { get: reads('readGlobalStamp', 'Tells whether anything has changed', 'GlobalStamp') },
  ];
  if (dataclasses.some(({ changes }) => typeof changes !== 'string')) {
    yield [
      '/rest/$changes/stream',
      {
        get: operation('streamChanges', 'Streams the keys of changed entities', {
          parameters: operationParameters(['changesStream']),
          responses: readResponses({
            description: 'Server-sent events; the data of each is JSON',
            content: { 'text/event-stream': { schema: TEXT } },
          }),
        }),
      },
    ];
  }
  yield [
    '/rest/$info',
    { get: reads('readInfo', 'Tells of sessions and entity sets, and opens a session', 'Info') },
  ];
  if (dataclasses.some((one) => mayChange(one, 'create', 'update'))) {
    yield [
      '/rest/$upload',
      {
        post: operation('upload', 'Keeps bytes for a save that refers to them', {
          parameters: operationParameters(['upload']),
          requestBody: { required: true, content: { '*/*': {} } },
          responses: changeResponses(
            response('The ID of the upload', schemaRef('protocol.Upload')),
          ),
        }),
      },
    ];
  }
  yield* directoryPaths();
}

function* directoryPaths(): Generator<PathEntry> {
  const result = response('Whether it is so', schemaRef('protocol.Result'));
  const login = anyOf(
    {
      type: 'array',
      prefixItems: [TEXT, TEXT, { type: ['number', 'null'], minimum: 1 }],
      minItems: 2,
      maxItems: 3,
    },
    objectOf({ user: TEXT, password: TEXT }),
  );
  yield [
    '/rest/$directory/login',
    {
      post: operation('logIn', 'Logs a user in, and opens a session', {
        requestBody: jsonContent(login),
        security: [],
        responses: changeResponses(
          result,
          response(
            'The user is not logged in',
            anyOf(schemaRef('protocol.Errors'), objectOf({ result: { const: false } })),
          ),
        ),
      }),
    },
  ];
  const loggedOut = response('The session has ended', schemaRef('protocol.LoggedOut'));
  const logout = { responses: changeResponses(loggedOut) };
  yield [
    '/rest/$directory/logout',
    {
      post: operation('logOut', 'Ends the session', logout),
      get: operation('logOutByGet', 'Ends the session', logout),
    },
  ];
  yield [
    '/rest/$directory/currentUser',
    { get: reads('readCurrentUser', 'Names the user', 'User') },
  ];
  yield [
    '/rest/$directory/currentUserBelongsTo',
    {
      post: operation('belongsTo', 'Tells whether the user has a role', {
        requestBody: {
          required: true,
          ...jsonContent({ ...arrayOf(TEXT), minItems: 1, maxItems: 1 }),
        },
        responses: changeResponses(result),
      }),
    },
  ];
}

function reads(id: string, summary: string, schema: string): JsonObject {
  return operation(id, summary, {
    responses: readResponses(response(summary, schemaRef(`protocol.${schema}`))),
  });
}

function operation(id: string, summary: string, rest: JsonObject): JsonObject {
  return { tags: [TAG], operationId: `services.${id}`, summary, ...rest };
}
