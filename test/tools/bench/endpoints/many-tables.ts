import pg from 'pg';
import { mappings } from './mappings.ts';

/** How many tables there are of those that only have to be mapped, and how few of them in the other case. */
export const MANY = 500;
export const FEW = 10;

/** Tables of eight columns with a relation each, as a legacy schema has hundreds. */
export async function makeTables(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let table = 1; table <= MANY; table += 1) {
      const before = table === 1 ? 'company' : `t${table - 1}`;
      await client.query(
        `CREATE TABLE app.t${table} (id int PRIMARY KEY, a text, b int, c numeric(12,2), d date, e boolean,` +
          ` before_id int CONSTRAINT fk_t${table} REFERENCES app.${before} (id), ver int NOT NULL)`,
      );
    }
    await client.query(
      "INSERT INTO app.t1 SELECT n, 'Text', n, n, now(), true, 1, 1 FROM generate_series(1, 200) n",
    );
  } finally {
    await client.end();
  }
}

/** The mapping files of the first of these tables, beside those of the measured data. */
export function manyMappings(count: number): Readonly<Record<string, string>> {
  const more = Array.from({ length: count }, (_, index) => {
    const to = index === 0 ? 'Company' : `T${index}`;
    const text = `dataclass: T${index + 1}\ntable: app.t${index + 1}\nstamp: { counter: ver }\nattributes:\n  id: id\n  a: a\n  b: b\n  c: c\n  d: d\n  e: e\nrelations:\n  before: { to: ${to}, foreignKey: fk_t${index + 1} }\n`;
    return [`t${index + 1}.yaml`, text] as const;
  });
  return { ...mappings, ...Object.fromEntries(more) };
}
