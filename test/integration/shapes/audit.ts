import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MCP } from './agents.ts';
import type { Served, Shape } from './engines.ts';
import { shape as routines } from './routines.ts';
import { sample, settingsIn, withKeys } from './sample.ts';

type Line = Readonly<Record<string, unknown>>;

/** The lines of the audit log since the last call. */
function taken({ mappings }: Served): readonly Line[] {
  const path = join(mappings, '../audit.log');
  const text = readFileSync(path, 'utf8');
  truncateSync(path);
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** What a line says beyond the request that it is about. */
function said({ log, time, request, user, roles, address, ...line }: Line): unknown[] {
  expect([log, user, roles, address]).toEqual(['audit', null, [], '127.0.0.1']);
  expect([typeof time, typeof request]).toEqual(['string', 'string']);
  const { action, dataclass, key, attributes, values, outcome, errCode, error, ...others } = line;
  expect(others).toEqual({});
  const end = [outcome, errCode, error].flatMap((word) => (word as string | undefined) ?? []);
  const told = [action, dataclass, key, (attributes as string[]).join(), end.join(' ')];
  return values === undefined ? told : [...told, values];
}

const admin = { roles: ['admin'] };
const { apiKeys, users } = withKeys({
  loader: admin,
  zoe: { ...admin, claims: { sub: '00u1' } },
  sub: { ...admin, claims: { sub: 'sub' } },
});
const clerk = withKeys({ clerk: { roles: ['reader'] } });

/** A page of another site, whose writes are refused before anything of them is read. */
const page = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

/** A gateway with an audit log, of which `AUDIT` answers what the lines since the last one say, and `AUDIT whole` the lines. */
function audited(audit: object = {}, more: object = {}, tables: Shape = sample): Shape {
  return {
    ...tables,
    engines: ['pglite'],
    users: { ...users, ...clerk.users, stranger: { 'api-key': 'egk_unknown' }, page },
    verbs: {
      MCP,
      AUDIT: (served, { text }) => {
        const body = text === 'whole' ? taken(served) : taken(served).map(said);
        return Promise.resolve({ status: 200, headers: {}, text: JSON.stringify(body), body });
      },
    },
    prepare: (folder) =>
      Promise.resolve(settingsIn({ audit: { to: join(folder, 'audit.log'), ...audit }, ...more })),
  };
}

export const shape = audited();
export const valued = audited({
  values: ['Country.name', 'Country.population', 'OrderLine.product', 'Employee.photo'],
});
export const keyed = audited(
  {},
  { authentication: { apiKeys }, mcp: { enabled: true, write: true } },
);
export const functions = audited(
  {},
  {
    authentication: { apiKeys: [...apiKeys, ...clerk.apiKeys], anonymous: ['admin'] },
    roles: { reader: { dataclasses: { Emp: { read: true } } } },
  },
  { ...routines, isDocumented: false },
);
export const readOnly = audited({}, { readOnly: true });
export const required = audited({ to: '/dev/full', required: true });
export const lossy = audited({ to: '/dev/full' });

const lineKey = (line: number): string => `{"orderNo":1,"line":${line}}`;

/** Requests that write many entities. */
export function many(served: Served): void {
  const send = async (path: string, body?: unknown): Promise<object> => {
    const [status, answer] = await served.post(path, body);
    expect(status).toBe(200);
    return answer as object;
  };
  const line = (number: number, quantity = 1): object => ({
    ...{ orderNo: 1, line: number, product: 1, quantity, unitPrice: 2 },
  });

  test('of each of many there is a line, whichever of them are wrong', async () => {
    const body = Array.from({ length: 2500 }, (_, at) => line(2001 + at, at === 1200 ? -1 : 1));
    await send('OrderLine?$method=update', body);
    const lines = taken(served);
    expect(new Set(lines.map(({ request }) => request)).size).toBe(1);
    const attributes = 'orderNo,line,quantity,unitPrice,order,product';
    expect(lines.map(said).filter((one) => one[4] !== 'done')).toEqual([
      ['create', 'OrderLine', null, attributes, 'failed 9015 brokenRule'],
    ]);
    expect(new Set(lines.map(({ key }) => key)).size).toBe(2500);
  });

  test('of a deleted set there are lines for those that were there', async () => {
    const numbers = Array.from({ length: 1500 }, (_, index) => 5001 + index);
    await send(
      'OrderLine?$method=update',
      numbers.map((number) => line(number)),
    );
    const path = 'OrderLine?$filter="line>5000 AND line<7000"&$method=entityset&$top=0';
    const [, made] = (await served.get(path)) as [number, { __ENTITYSET: string }];
    const set = made.__ENTITYSET.slice('/rest/'.length);
    await served.delete('OrderLine(1;5007)');
    taken(served);
    await send(`${set}?$method=delete`);
    const left = numbers.filter((number) => number !== 5007);
    expect(taken(served).map(said)).toEqual(
      left.map((number) => ['delete', 'OrderLine', lineKey(number), '', 'done']),
    );
  });
}

/** A set whose entities refer to each other, by a constraint that a reload finds. */
export function selfReferring(served: Served): void {
  test('of such a set that is deleted there are all lines', async () => {
    const { gateway } = served;
    const send = async (path: string, method = 'POST'): Promise<object> => {
      const { status, body } = await gateway.get(path, { method, headers: users['loader'] ?? {} });
      expect(status).toBe(200);
      return body as object;
    };
    const columns = '"EMP_NO", "FIRST_NM", "LAST_NM", "EMAIL", "HIRE_DT", "COMP_ID", "MGR_NO"';
    const rows = `SELECT n, 'x', 'x', n, DATE '2026-01-01', 1, 50001 FROM generate_series(50001, 51200) n`;
    await served.run(`INSERT INTO "HR"."TBL_EMP" (${columns}) ${rows}`);
    const own = 'FOREIGN KEY ("MGR_NO") REFERENCES "HR"."TBL_EMP" ("EMP_NO")';
    await served.run(`ALTER TABLE "HR"."TBL_EMP" ADD CONSTRAINT "FK_MGR" ${own} NOT VALID`);
    await send('/rest/$info/reload');
    const path = '/rest/Employee?$filter="ID>50000"&$method=entityset&$top=0';
    const { __ENTITYSET: set } = (await send(path, 'GET')) as { __ENTITYSET: string };
    taken(served);
    await send(`${set}?$method=delete`);
    const keys = taken(served).map(({ action, key }) => [action, Number(key)] as const);
    expect(keys.toSorted((one, other) => one[1] - other[1])).toEqual(
      Array.from({ length: 1200 }, (_, index) => ['delete', 50_001 + index]),
    );
  });
}
