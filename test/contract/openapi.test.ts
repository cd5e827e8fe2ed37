import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApiWriting } from '../../src/contract/openapi.ts';
import type { ContractSettings } from '../../src/contract/settings.ts';
import { configSchema } from '../../src/config/config.ts';
import type { Model } from '../../src/model/types.ts';
import { Contract, pointer, type Document, type PathItem } from '../conformance/contract.ts';
import { readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { GoldenFile } from '../fixtures/golden-file.ts';
import { model, table, type TableSketch } from '../model/physical.ts';
import { audiencesOf, somebody } from '../access/sample-roles.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: unknown;
  readonly example?: unknown;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: object;
}

interface WholeDocument extends Document {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly security?: unknown;
  readonly components: Document['components'] & {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly securitySchemes?: unknown;
  };
}

function settings(more: object = {}): ContractSettings {
  return configSchema.parse({
    application: 'Test',
    database: { engine: 'pglite', directory: 'memory:' },
    ...more,
  });
}

function documentOf(seen: Model, more: object = {}): WholeDocument {
  return JSON.parse([...openApiWriting(seen, settings(more))].join('')) as WholeDocument;
}

function operationsIn(item: PathItem): DescribedOperation[] {
  const operations = Object.entries(item).filter(([verb]) => verb !== 'parameters');
  return operations.map(([, operation]) => operation as object as DescribedOperation);
}

function operationsOf({ paths }: WholeDocument): DescribedOperation[] {
  return Object.values(paths).flatMap(operationsIn);
}

/** The pairs of paths of which a URL may be an instance of both, and neither is more concrete than the other (https://spec.openapis.org/oas/v3.1.0#paths-object). */
function ambiguousPaths(paths: readonly string[]): (readonly [string, string])[] {
  const parts = paths.map((path) => path.split('/'));
  const isVariable = (part: string): boolean => /^\{.+\}$/.test(part);
  const pairs = parts.flatMap((one, index) =>
    parts.slice(index + 1).map((other) => [one, other] as const),
  );
  return pairs
    .filter(([one, other]) => {
      if (one.length !== other.length) return false;
      const meets = one.every((part, at) => {
        const against = other[at] ?? '';
        return isVariable(part) || isVariable(against) || part === against;
      });
      const wider = (a: readonly string[], b: readonly string[]): boolean =>
        a.some((part, at) => isVariable(part) && !isVariable(b[at] ?? ''));
      return meets && wider(one, other) === wider(other, one);
    })
    .map(([one, other]) => [one.join('/'), other.join('/')] as const);
}

async function problemsOf(document: WholeDocument): Promise<unknown> {
  const { valid, errors } = await new Validator().validate({ ...document });
  return valid ? null : errors;
}

describe.each(['postgres', 'tsql'] as const)('the document of the sample on %s', (engine) => {
  let document: WholeDocument;
  beforeAll(async () => {
    document = documentOf(await sampleModel(readSnapshot(engine)));
  });

  test('is an OpenAPI document', async () => {
    expect(await problemsOf(document)).toBeNull();
  });

  test('names each operation once, and describes it', () => {
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(300);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.flatMap(({ name, description }) => (description ? [name] : []));
    for (const { operationId, tags: own, summary, responses } of operationsOf(document)) {
      const classes = new Set(Object.keys(responses).map((status) => status.charAt(0)));
      expect([operationId, own.length, tags.includes(own[0] ?? ''), summary !== '']).toEqual([
        ...[operationId, 1, true, true],
      ]);
      expect([operationId, ...classes]).toEqual(expect.arrayContaining(['2', '4']));
    }
  });

  test('names its paths so that each URL is of one', () => {
    expect(ambiguousPaths(Object.keys(document.paths))).toEqual([]);
    expect(
      ambiguousPaths(['/a/{path}/$set/{id}', '/a/$set/{id}/{path}', '/a({key})', '/a(0)']),
    ).toEqual([['/a/{path}/$set/{id}', '/a/$set/{id}/{path}']]);
  });

  test('has a parameter for each name in braces, and each parameter once', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const braces = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => `path ${name}`);
      for (const { parameters: own = [] } of operationsIn(item)) {
        const names = [...(item.parameters ?? []), ...own].map((one) => {
          const { $ref = '' } = one as { $ref?: string };
          const { in: place, name } =
            document.components.parameters[$ref.split('/').at(-1) ?? ''] ?? (one as Parameter);
          return `${place} ${name}`;
        });
        expect([path, names.filter((name) => name.startsWith('path'))]).toEqual([path, braces]);
        expect([path, new Set(names).size]).toEqual([path, names.length]);
      }
    }
  });

  test('writes no parameter or body of a dataclass out in each of its operations', () => {
    const written = Object.entries(document.paths).flatMap(([path, item]) => [
      ...[item, ...operationsIn(item)].flatMap(({ parameters = [] }) => parameters),
      ...operationsIn(item).flatMap(({ requestBody }) =>
        requestBody !== undefined && /^\/rest\/\w+(?:\(\{key\}\))?$/.test(path)
          ? [requestBody]
          : [],
      ),
    ]);
    const inFull = written.filter((one) => !('$ref' in one));
    expect(inFull).toEqual([expect.objectContaining({ name: 'dataclasses', in: 'path' })]);
    expect(JSON.stringify(document).length).toBeLessThan(480_000);
  });

  test.each([
    ['/rest/Order', 'get', ['Order.Collection']],
    ['/rest/Order({key})', 'get', ['Order.Single']],
    ['/rest/Order({key})', 'patch', ['Order.Saved']],
    ['/rest/Order({key})', 'put', ['Order.Saved']],
    ['/rest/Order({key})/lines', 'get', ['OrderLine.Collection']],
    ['/rest/Order({key})/billTo', 'get', ['Company.Single', 'null']],
    ['/rest/Product/$changes', 'get', ['Product.Changes']],
    ['/rest/Company:registrationNo({value})', 'get', ['Company.Single']],
  ])(
    'answers %s by %s in one form, which generated types need no cast for',
    (path, verb, forms) => {
      const { $ref = '' } = document.paths[path]?.[verb]?.responses['200'] ?? {};
      const { content = {} } = document.components.responses[$ref.split('/').at(-1) ?? ''] ?? {};
      expect(Object.keys(content)).toEqual(['application/json']);
      const { schema = {} } = content['application/json'] ?? {};
      const named = (schema.anyOf ?? [schema]).map(
        (one) => one.$ref?.split('/').at(-1) ?? (one as { type?: string }).type,
      );
      expect(named).toEqual(forms);
    },
  );

  test('refers to nothing that it does not have', () => {
    const text = JSON.stringify(document);
    const refs = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].map(String),
    );
    const missing = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].filter(
      ([, section = '', name = '']) => !has(document.components, section, name),
    );
    expect(refs.size).toBeGreaterThan(200);
    expect(missing.map(([found]) => found)).toEqual([]);
  });

  test('has no component that nothing refers to', () => {
    const { schemas, responses, parameters } = document.components;
    const all = Object.entries({ schemas, responses, parameters }).flatMap(([section, parts]) =>
      Object.keys(parts).map((name) => `#/components/${section}/${name}`),
    );
    const text = JSON.stringify(document);
    expect(all.length).toBeGreaterThan(200);
    expect(all.filter((pointer) => !text.includes(`{"$ref":"${pointer}"}`))).toEqual([]);
  });

  test('has examples of parameters that fit their schemas', () => {
    const contract = new Contract(document);
    let count = 0;
    for (const [name, { example }] of Object.entries(document.components.parameters)) {
      if (example === undefined) continue;
      count += 1;
      const at = `${pointer('components', 'parameters', name)}/schema`;
      expect([name, contract.mismatch(at, example)]).toEqual([name, null]);
    }
    expect(count).toBeGreaterThan(5);
  });
});

function has(components: object, section: string, name: string): boolean {
  const parts = (components as Readonly<Record<string, object | undefined>>)[section];
  return parts !== undefined && Object.hasOwn(parts, name);
}

describe('values', () => {
  const columns: TableSketch['columns'] = {
    ...({ ID: 'int', B: 'bigint?', D: 'date', T: 'text?', N: 'decimal', U: 'uuid' } as const),
    ...({ Z: 'timestamp', J: 'json?', P: 'image?', E: 'enum' } as const),
  };

  async function entity(more: object = {}): Promise<unknown> {
    const built = await model([table('T', { columns, primaryKey: ['ID'] })], {
      t: `table: S.T
description: A thing.
attributes:
  id: ID
  big: { column: B, readOnly: true }
  day: { column: D, description: When., simpleDate: true }
  text: T
  price: N
  guid: U
  at: Z
  more: J
  picture: { column: P, type: image }
  mood: E
`,
    });
    return documentOf(built, more).components.schemas['T.Attributes'];
  }

  test('have the types of their columns', async () => {
    const int = { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 };
    const image = { $ref: '#/components/schemas/protocol.DeferredContent' };
    expect(await entity()).toEqual({
      type: 'object',
      properties: {
        id: int,
        big: { type: ['integer', 'null'], format: 'int64', readOnly: true },
        day: { type: 'string', pattern: String.raw`^\d{1,2}!\d{1,2}!\d{4}$`, description: 'When.' },
        text: { type: ['string', 'null'], maxLength: 40 },
        price: { type: ['number', 'null'], exclusiveMinimum: -1e8, exclusiveMaximum: 1e8 },
        guid: { type: 'string', format: 'uuid' },
        at: { type: 'string', format: 'date-time' },
        more: {},
        picture: { anyOf: [image, { type: 'null' }] },
        mood: { type: 'string' },
      },
    });
  });
});

describe('a role', () => {
  const roles = {
    clerk: {
      dataclasses: {
        Company: { read: true, attributes: { creditLimit: 'hidden' } },
        Order: { read: true, update: true },
      },
    },
  };

  test('is told of nothing that it does not see', async () => {
    const audience = (await audiencesOf(roles))(somebody(['clerk']));
    const document = documentOf(audience.model);
    const text = JSON.stringify(document);
    expect(text.match(/.{30}(?:Employee|creditLimit|Product|salesRep|may owe).{30}/g)).toBeNull();
    const verbs = (path: string): string[] => Object.keys(document.paths[path] ?? {});
    expect(verbs('/rest/Company')).toEqual(['parameters', 'get', 'post']);
    expect(verbs('/rest/Order')).toEqual(['parameters', 'get', 'post', 'put', 'patch']);
    expect(verbs('/rest/Order({key})')).toEqual(['parameters', 'get', 'post', 'put', 'patch']);
    expect(await problemsOf(document)).toBeNull();
  });

  test('answers one new entity by 201 where server.createdStatus says so, and has a place', async () => {
    const { model: seen } = (
      await audiencesOf({
        writer: {
          dataclasses: {
            Company: { read: true, create: true },
            Order: { read: true, update: true },
          },
        },
      })
    )(somebody(['writer']));
    const document = documentOf(seen, { server: { createdStatus: 201 } });
    const answers = (path: string, verb: 'post' | 'put' | 'patch'): string[] =>
      Object.keys((document.paths[path]?.[verb] as { responses: object }).responses);
    for (const verb of ['post', 'put', 'patch'] as const) {
      expect(answers('/rest/Company', verb)).toEqual(['200', '201', '4XX', '5XX']);
      expect(answers('/rest/Order', verb)).toEqual(['200', '4XX', '5XX']);
    }
    expect(answers('/rest/Company({key})', 'post')).not.toContain('201');
    expect(document.components).toMatchObject({
      responses: {
        'Company.Created': { headers: { Location: { $ref: '#/components/headers/Location' } } },
      },
      headers: { Location: { required: true } },
    });
    expect(await problemsOf(document)).toBeNull();
    expect(JSON.stringify(documentOf(seen))).not.toContain('Created');
  });

  test.each([
    ['with read only', { read: true }, null],
    ['whose dataclass is read only', { read: true, create: true, update: true, delete: true }, ''],
  ])('%s is told of reads only', async (_, Company, readOnly) => {
    const reads = { dataclasses: { Company } };
    const { model: seen } = (await audiencesOf({ reads }))(somebody(['reads']));
    const dataclasses = new Map(
      [...seen.dataclasses].map(([name, one]) => [name, { ...one, readOnly }]),
    );
    const document = documentOf({ ...seen, dataclasses });
    expect(document.paths['/rest/$upload']).toBeUndefined();
    for (const [path, id] of [
      ['/rest/Company', 'Company.readAllByPost'],
      ['/rest/Company({key})', 'Company.readKeyByPost'],
    ] as const) {
      const { post } = document.paths[path] ?? {};
      expect(post).toMatchObject({
        operationId: id,
        requestBody: { $ref: '#/components/requestBodies/Company.Attributes' },
      });
      expect(JSON.stringify(post)).not.toMatch(/atomic|atOnce|Company\.(?:Save|Body|NotSaved)/);
    }
    expect(await problemsOf(document)).toBeNull();
  });

  test.each([
    ['Company', 'readAllByPost', 'readKeyByPost', { read: true }],
    ['Company', 'deleteSomeByPost', 'deleteKeyByPost', { read: true, delete: true }],
    ['Company', 'save', 'saveKey', { read: true, update: true }],
  ])('of %s is told by POST of %s and %s alone', async (name, all, keyed, grant) => {
    const some = { dataclasses: { [name]: grant } };
    const { model: seen } = (await audiencesOf({ some }))(somebody(['some']));
    const document = documentOf(seen);
    expect(document.paths['/rest/Company']?.['post']).toMatchObject({
      operationId: `Company.${all}`,
    });
    expect(document.paths['/rest/Company({key})']?.['post']).toMatchObject({
      operationId: `Company.${keyed}`,
    });
    const named = Object.entries(document.components).flatMap(([section, parts]) =>
      Object.keys(parts as object).map((part) => `${section}/${part}`),
    );
    const ofChanges = named.filter((one) =>
      /\/(?:Company\.(?:Save|NotSaved|Body)|(?:protocol\.)?(?:Delete|atomic|Upload|Saved))/.test(
        one,
      ),
    );
    expect(ofChanges).toEqual(
      {
        readAllByPost: [],
        deleteSomeByPost: ['schemas/protocol.Deleted', 'responses/Deleted', 'parameters/atomic'],
        save: [
          ...['schemas/protocol.Saved', 'schemas/protocol.Upload', 'schemas/Company.Saved'],
          ...['schemas/Company.SavedList', 'schemas/Company.SavedRow', 'schemas/Company.Saves'],
          ...['schemas/Company.Body', 'responses/Company.Save', 'responses/Company.SaveOne'],
          ...['responses/Company.NotSaved', 'parameters/atomic', 'requestBodies/Company.Save'],
        ],
      }[all],
    );
    expect(await problemsOf(document)).toBeNull();
  });

  test('that sees nothing has the services alone', async () => {
    const document = documentOf((await audiencesOf(roles))(somebody([])).model);
    expect(Object.keys(document.paths)).toEqual([
      ...['/rest', '/rest/$catalog', '/rest/$catalog/$all', '/rest/$catalog/{dataclasses}'],
      ...[
        '/rest/$openapi',
        '/rest/$reports',
        '/rest/$stamp',
        '/rest/$info',
        '/rest/$directory/login',
      ],
      ...['/rest/$directory/logout', '/rest/$directory/currentUser'],
      '/rest/$directory/currentUserBelongsTo',
    ]);
    const { parameters } = document.paths['/rest/$catalog/{dataclasses}'] ?? {};
    expect(parameters).toMatchObject([{ name: 'dataclasses' }]);
    expect(JSON.stringify(parameters)).not.toContain('example');
    expect(await problemsOf(document)).toBeNull();
  });
});

describe('names beyond ASCII', () => {
  test('have components of their own', async () => {
    const built = await model(
      [table('T', { columns: { ID: 'int', NAME: 'text' }, primaryKey: ['ID'] })],
      {
        t: 'dataclass: 日本\ntable: S.T\nattributes: { 番号: ID, größe: NAME }',
      },
    );
    const document = documentOf(built);
    expect(await problemsOf(document)).toBeNull();
    expect(Object.keys(document.components.schemas)).toContain('-65e5-672c.Single');
    expect(Object.keys(document.paths)).toContain('/rest/%E6%97%A5%E6%9C%AC({key})');
  });
});

describe('security', () => {
  const hash = `sha256:${'0'.repeat(64)}`;
  const apiKeys = [{ name: 'a', hash }];

  test.each([
    ['nobody is asked', {}, [], []],
    [
      'API keys',
      { authentication: { apiKeys } },
      [{ apiKey: [] }, { bearer: [] }],
      ['apiKey', 'bearer'],
    ],
    [
      'tokens, or nobody',
      {
        authentication: {
          anonymous: [],
          jwt: { secret: 's'.repeat(32), issuer: 'i', audience: 'a' },
        },
      },
      [{ bearer: [] }, {}],
      ['bearer'],
    ],
    [
      'tokens of an issuer that clients can ask, and people who sign in there',
      {
        authentication: {
          jwt: { jwks: 'https://id.example/jwks', issuer: 'https://id.example/', audience: 'a' },
          oidc: { issuer: 'https://id.example/', clientId: 'c' },
        },
      },
      [{ bearer: [] }, { openIdConnect: [] }, { session: [] }],
      ['bearer', 'openIdConnect', 'session'],
    ],
    [
      'users',
      { authentication: { users: 'users.yaml' } },
      [{ basic: [] }, { session: [] }, { sessionHeader: [] }],
      ['basic', 'session', 'sessionHeader'],
    ],
  ])('%s', async (_, configured, security, schemes) => {
    const built = await model([table('T', { columns: { ID: 'int' } })], { t: 'table: S.T' });
    const document = documentOf(built, configured);
    expect(document.security).toEqual(security);
    expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(schemes);
    expect(await problemsOf(document)).toBeNull();
  });
});

describe('the document of two small dataclasses', () => {
  const golden = new GoldenFile(new URL('openapi.golden', import.meta.url));

  test('says this of each path, and of what they refer to', async () => {
    const tables = [
      table('A', {
        columns: { ID: 'int', NM: 'text', AMT: 'decimal?', ON: 'date?', PIC: 'image?', VER: 'int' },
        primaryKey: ['ID'],
        indexes: [{ name: 'NM_U', columns: ['NM'], unique: true }],
      }),
      table('B', {
        columns: { A: 'int', NO: 'int' },
        primaryKey: ['A', 'NO'],
        foreignKeys: [{ name: 'F', columns: ['A'], targetTable: 'A', targetColumns: ['ID'] }],
      }),
    ];
    const built = await model(tables, {
      a: `
dataclass: Article
description: What is sold.
table: S.A
stamp: { counter: VER }
attributes: { id: ID, name: { column: NM, description: Its name. }, price: AMT, day: ON, picture: { column: PIC, type: image } }
relations: { parts: { inverse: Part.article } }
`,
      b: `
dataclass: Part
table: S.B
stamp: none
readOnly: true
attributes: { no: NO }
relations: { article: { to: Article, columns: { A: ID } } }
`,
    });
    const { paths, components } = documentOf(built, { server: { createdStatus: 201 } });
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([verb, one]) => [`${verb} ${path}`, one] as const),
    );
    const parts = Object.entries(components).flatMap(([kind, ones]) =>
      Object.entries(ones as Readonly<Record<string, unknown>>).map(
        ([name, one]) => [`${kind} ${name}`, one] as const,
      ),
    );
    for (const [title, entries] of [
      ['paths', operations],
      ['components', parts],
    ] as const) {
      const lines = entries.map(([name, one]) => `${name} ${JSON.stringify(one)}\n`);
      golden.expect('two dataclasses', title, lines.join(''));
    }
  });
});
