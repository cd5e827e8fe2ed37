import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, test } from 'vitest';
import { openApiWriting } from '../../src/contract/openapi.ts';
import type { ContractSettings } from '../../src/contract/settings.ts';
import { configSchema } from '../../src/config/config.ts';
import type { Model } from '../../src/model/types.ts';
import { Contract, pointer, type Document, type PathItem } from '../conformance/contract.ts';
import { readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { GoldenFile } from '../fixtures/golden-file.ts';
import { model, table } from '../model/physical.ts';
import { parsed, rows } from '../rows.ts';
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

test('the document of the sample is one of OpenAPI on SQL Server as well', async () => {
  expect(await problemsOf(documentOf(await sampleModel(readSnapshot('tsql'))))).toBeNull();
});

describe('the document of the sample', () => {
  let document: WholeDocument;
  beforeAll(async () => {
    document = documentOf(await sampleModel(readSnapshot('postgres')));
  });

  test('is an OpenAPI document, and of a bounded length', async () => {
    expect(await problemsOf(document)).toBeNull();
    expect(JSON.stringify(document).length).toBeLessThan(480_000);
  });

  test('names each operation once, and describes it', () => {
    const operations = operationsOf(document);
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(300);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.flatMap(({ name, description }) => (description ? [name] : []));
    const odd = operations.filter(({ tags: own, summary, responses }) => {
      const classes = new Set(Object.keys(responses).map((status) => status.charAt(0)));
      const isAnswered = classes.has('2') && classes.has('4');
      return !(own.length === 1 && tags.includes(own[0] ?? '') && summary !== '' && isAnswered);
    });
    expect(odd).toEqual([]);
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

  test('refers to nothing that it does not have, and has nothing that nothing refers to', () => {
    const refs = JSON.stringify(document).matchAll(/{"\$ref":"#\/components\/([^"]+)"}/g);
    const named = new Set(Array.from(refs, ([, name = '']) => name));
    const known = Object.entries(document.components).flatMap(([section, ones]) =>
      section === 'securitySchemes'
        ? []
        : Object.keys(ones as object).map((name) => `${section}/${name}`),
    );
    expect(known.length).toBeGreaterThan(200);
    expect(known.toSorted()).toEqual([...named].toSorted());
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

  const changes =
    /^(?:Company\.(?:Save|NotSaved|Body)|(?:protocol\.)?(?:Delete|atomic|Upload|Saved))/;

  test.each(rows`
    readAllByPost    | readKeyByPost   | {read: true}
    deleteSomeByPost | deleteKeyByPost | {read: true, delete: true} | schemas/protocol.Deleted, responses/Deleted, parameters/atomic
    save | saveKey | {read: true, update: true}
      | schemas/protocol.Saved, schemas/protocol.Upload, schemas/Company.Saved, schemas/Company.SavedList, schemas/Company.SavedRow, schemas/Company.Saves, schemas/Company.Body, responses/Company.Save, responses/Company.SaveOne, responses/Company.NotSaved, parameters/atomic, requestBodies/Company.Save
  `)('of a dataclass is told by POST of %s and %s alone', async (all, keyed, grant, parts = '') => {
    const some = { dataclasses: { Company: parsed(grant) } };
    const { model: seen } = (await audiencesOf({ some }))(somebody(['some']));
    const document = documentOf(seen);
    const ids = ['/rest/Company', '/rest/Company({key})'].map(
      (path) => (document.paths[path]?.['post'] as unknown as DescribedOperation).operationId,
    );
    expect(ids).toEqual([`Company.${all}`, `Company.${keyed}`]);
    expect(document.paths['/rest/$upload'] !== undefined).toBe(all === 'save');
    const told = Object.entries(document.components).flatMap(([section, ones]) =>
      Object.keys(ones as object).flatMap((part) =>
        changes.test(part) ? [`${section}/${part}`] : [],
      ),
    );
    expect(told.join(', ')).toBe(parts);
    expect(await problemsOf(document)).toBeNull();
  });

  test('that sees nothing has the services alone', async () => {
    const document = documentOf((await audiencesOf(roles))(somebody([])).model);
    expect(Object.keys(document.paths)).toEqual([
      ...['/rest', '/rest/$catalog', '/rest/$catalog/$all', '/rest/$catalog/{dataclasses}'],
      ...['openapi', 'reports', 'stamp', 'info'].map((service) => `/rest/$${service}`),
      ...['login', 'logout', 'currentUser', 'currentUserBelongsTo'].map(
        (name) => `/rest/$directory/${name}`,
      ),
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

  const jwt = { secret: 's'.repeat(32), issuer: 'i', audience: 'a' };
  const issuer = 'https://id.example/';
  const asked = { jwks: 'https://id.example/jwks', issuer, audience: 'a' };

  test.each([
    ['nobody is asked', {}, []],
    ['API keys', { authentication: { apiKeys } }, ['apiKey', 'bearer']],
    ['tokens, or nobody', { authentication: { anonymous: [], jwt } }, ['bearer', null]],
    [
      'tokens of an issuer that clients can ask, and people who sign in there',
      { authentication: { jwt: asked, oidc: { issuer, clientId: 'c' } } },
      ['bearer', 'openIdConnect', 'session'],
    ],
    ['users', { authentication: { users: 'users.yaml' } }, ['basic', 'session', 'sessionHeader']],
  ])('%s', async (_, configured, schemes) => {
    const built = await model([table('T', { columns: { ID: 'int' } })], { t: 'table: S.T' });
    const document = documentOf(built, configured);
    const security = schemes.map((scheme) => (scheme === null ? {} : { [scheme]: [] }));
    expect(document.security).toEqual(security);
    const named = schemes.filter((scheme) => scheme !== null);
    expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(named);
    expect(await problemsOf(document)).toBeNull();
  });
});

describe('the document of two small dataclasses', () => {
  const golden = new GoldenFile(new URL('openapi.golden', import.meta.url));

  test('says this of each path, and of what they refer to', async () => {
    const tables = [
      table('A', {
        columns: parsed(
          '{ID: int, NM: text, AMT: decimal?, ON: date?, PIC: image?, VER: int, B: bigint?, D: date, U: uuid, Z: timestamp, J: json?, E: enum}',
        ),
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
attributes: { id: ID, name: { column: NM, description: Its name. }, price: AMT, day: ON, picture: { column: PIC, type: image }, big: { column: B, readOnly: true }, at: Z, guid: U, more: J, mood: E, simple: { column: D, simpleDate: true, description: When. } }
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
    const line = (name: string, one: unknown): string => `${name} ${JSON.stringify(one)}\n`;
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([verb, one]) => line(`${verb} ${path}`, one)),
    );
    golden.expect('two dataclasses', 'paths', operations.join(''));
    const parts = Object.entries(components).flatMap(([kind, ones]) =>
      Object.entries(ones as object).map(([name, one]) => line(`${kind} ${name}`, one)),
    );
    golden.expect('two dataclasses', 'components', parts.join(''));
  });
});
