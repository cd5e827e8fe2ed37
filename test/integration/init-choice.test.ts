import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { person, terminal } from '../cli/person.ts';
import { run } from '../cli/run.ts';
import type { Config, PostgresConfig } from '../../src/config/config.ts';
import { openSchema } from '../targets/schema.ts';
import { mapped, onEngines, type Shape } from './shapes/engines.ts';
import { inBothLanguages } from './shapes/languages.ts';

const shape: Shape = {
  ...inBothLanguages([
    'CREATE TABLE app.customers (customerid int PRIMARY KEY, companyname varchar(40))',
    'CREATE TABLE app.orders (orderid int PRIMARY KEY, customerid int REFERENCES app.customers)',
    'CREATE TABLE app.orderlines (lineid int PRIMARY KEY, orderid int REFERENCES app.orders)',
    'CREATE TABLE app.orders_log (id int PRIMARY KEY)',
    'CREATE VIEW app.orders_open AS SELECT orderid FROM app.orders',
  ]),
  mappings: mapped('customer: {table: app.customers}'),
};

/** What a slow server lets the command say meanwhile. */
function withoutProgress(error: string): string {
  return error.replace(/^.* …\n/gm, '');
}

const urlOf = (database: Config['database']): URL => new URL((database as PostgresConfig).url);

onEngines(
  'init with a few tables',
  shape,
  (served) => {
    const { engine } = served;
    let folder: string;
    let url: URL;
    beforeAll(() => {
      folder = dirname(served.mappings);
      url = urlOf(served.settings.database);
    });

    const database = (): string => url.pathname.slice(1);
    const filesIn = async (out: string): Promise<string[]> =>
      (await readdir(join(out, 'mappings'))).toSorted();

    test('the chosen tables are mapped, and a second run chooses the same', async () => {
      const out = join(folder, 'chosen');
      const given = ['init', '--database', url.href, '--out', out];
      const options = ['--table', 'ORDER*', '--exclude', '*_log', '--no-views'];
      const first = await run([...given, ...options]);
      expect([first.code, withoutProgress(first.error)]).toEqual([0, '']);
      expect(await filesIn(out)).toEqual(['order-line.yaml', 'order.yaml']);
      expect(first.out).toMatch(/foreign key .*: it refers to \w+\.customers, which no file maps/);

      const again = await run(given);
      expect(again.out).toContain('Nothing is new; no file was written.');
      const check = ['check', '--config', join(out, 'config.yaml'), '--strict'];
      const environment = { ENTITYGATE_DATABASE_URL: url.href };
      expect((await run(check, environment)).code).toBe(0);

      const more = await run([...given, '--table', '*.customers', '--table', 'order*']);
      expect(more.code).toBe(0);
      expect(await filesIn(out)).toEqual(['customer.yaml', 'order-line.yaml', 'order.yaml']);
      expect(await readFile(join(out, 'mappings/order.yaml'), 'utf8')).toMatch(
        /customer: \{ to: Customer, foreignKey: \w+ \}/,
      );
    });

    test('init.yaml may name what is gone: a warning, and an error only for a schema', async () => {
      const out = join(folder, 'gone');
      const rules = join(out, 'init.yaml');
      const given = ['init', '--database', url.href, '--out', out];
      expect((await run([...given, '--table', 'orders'])).code).toBe(0);
      const text = await readFile(rules, 'utf8');
      await writeFile(rules, text.replace('stampColumns: []', 'stampColumns: [REC_VR]'));
      const warned = await run(given);
      expect([warned.code, warned.out]).toEqual([
        0,
        expect.stringMatching(
          /^Warnings:\n {2}.*init\.yaml: stampColumns: no table has a column REC_VR of type integer\./m,
        ),
      ]);
      await writeFile(rules, text.replace('schemas: []', 'schemas: [nope]'));
      const { code, error } = await run(given);
      expect([code, withoutProgress(error)]).toEqual([
        1,
        expect.stringMatching(
          /^entitygate init:\n {2}.*init\.yaml: schemas: the database has no schema nope /,
        ),
      ]);
    });

    test('a database that the URL leaves out is refused with those that there are', async () => {
      const server = new URL(url);
      server.pathname = '';
      const { code, error } = await run(['init', '--database', server.href, '--out', folder]);
      const names = new RegExp(String.raw`; the login may open .*\b${database()}\b`);
      expect([code, withoutProgress(error)]).toEqual([1, expect.stringMatching(names)]);
    });

    test('a person is asked for the database and the tables, and sees what will be written', async () => {
      const out = join(folder, 'asked');
      const encryption = engine === 'sqlserver' ? ['no'] : [];
      const server = [engine, url.host, url.username, url.password, ...encryption];
      const answers = [...server, database(), 'orders*', '*_log', ''];
      const input = person([...answers, 'yes']);
      const { code, out: said } = await run(['init', '--out', out], {}, true, input);
      expect(code).toBe(0);
      expect(await filesIn(out)).toEqual(['order.yaml', 'orders-open.yaml']);
      expect(said).toContain('Would write 2 new mapping files');
      expect(said).toContain('\nWrote 5 files.\n\nServe it');
      expect(input.asked.at(-1)).toBe('Write these files? (yes or no) [yes]: ');

      const other = join(folder, 'refused');
      const refusing = person([...answers, 'no']);
      expect((await run(['init', '--out', other], {}, true, refusing)).code).toBe(0);
      await expect(readdir(other)).rejects.toThrow('ENOENT');
      // Who leaves at the list of databases has nothing either.
      const left = await run(['init', '--out', other], {}, true, terminal(server));
      expect([left.code, left.error]).toEqual([
        1,
        expect.stringMatching(/\n {2}cancelled; nothing was written\n$/),
      ]);
      await expect(readdir(other)).rejects.toThrow('ENOENT');
    });

    test('an answer that does not fit is told and asked for again', async () => {
      const out = join(folder, 'typed');
      const empty = await openSchema(engine, { postgres: '', sqlserver: [] }, folder);
      const encryption = engine === 'sqlserver' ? ['no'] : [];
      const given = [
        ...[engine, url.host, url.username, url.password, ...encryption],
        ...['99999', urlOf(empty.database).pathname.slice(1)],
        ...['', '', url.password, ...encryption.map(() => ''), database()],
        ...['custmers, orders*', '', 'customers, orders*', '*_log', ''],
      ];
      const left = await run(['init', '--out', out], {}, true, terminal(given));
      await empty.close();
      for (const problem of [
        '99999 is not in the list.\n',
        'the database has no table or view that the login may read; grant it SELECT, or name another database\n',
        'custmers matches no table or view. Did you mean customers?\n',
      ]) {
        expect(left.error).toContain(problem);
      }
      expect(left.out).toContain('Would write 3 new mapping files');
      await expect(readdir(out)).rejects.toThrow('ENOENT');
    });

    test('names follow changed rules where that is agreed to', async () => {
      const out = join(folder, 'renamed');
      const given = ['--database', url.href, '--out', out];
      const plain = ['--no-split', '--no-singular', '--no-views'];
      await run(['init', ...given, ...plain, '--table', 'orders*']);
      const order = join(out, 'mappings/orders.yaml');
      const before = await readFile(order, 'utf8');
      const rename = ['init', ...given, '--rename', '--case', 'pascal'];
      const shown = await run(rename);
      expect([shown.code, shown.out, withoutProgress(shown.error)]).toEqual([
        1,
        expect.stringContaining('  attribute  orderid → Orderid\n'),
        'Nothing was written. Add --yes to write these names.\n',
      ]);
      expect(await readFile(order, 'utf8')).toBe(before);
      const done = await run([...rename, '--yes']);
      expect([done.code, withoutProgress(done.error)]).toEqual([0, '']);
      expect(await readFile(order, 'utf8')).toBe(
        before.replace('orderid: ', 'Orderid: ').replace('customerid: ', 'Customerid: '),
      );
      expect((await run(rename)).code).toBe(0);
      // A file that is called as its dataclass follows it.
      await writeFile(join(out, 'init.yaml'), "tables: ['orders*']\nviews: false\n");
      expect((await run(['init', ...given, '--rename', '--yes'])).code).toBe(0);
      expect(await filesIn(out)).toEqual(['order.yaml', 'orders-log.yaml']);
    });
  },
  ['pglite'],
);
