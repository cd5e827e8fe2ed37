/**
 * `npm run bench` runs it, too: a BLOB of 50 MB and an image that is converted, through a gateway in a process of its own, on PGlite and every server that can be
 * reached (ENTITYGATE_TEST_…_URL). Of the process it tells the memory that it has at most, while it sends little and while it sends much; beside the
 * conversion stands sharp on the same bytes. The sides of each ratio take turns.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { loadConfig } from '../../../src/config/load.ts';
import { runGateway } from '../../integration/gateway-process.ts';
import build from '../../targets/build.ts';
import { startGateway } from '../../targets/gateway.ts';
import { openPostgresDatabase, postgresTarget } from '../../targets/postgres.ts';
import { openSqlServerDatabase, sqlServerTarget } from '../../targets/sqlserver.ts';
import type { OpenTarget } from '../../targets/target.ts';
import { alternated, shown } from './alternated.ts';
import { peak } from './peak.ts';
import { spread, time } from './timing.ts';

const MB = 1_000_000;
const SMALL = 5 * MB;
const LARGE = 50 * MB;

/** The bytes of the values that are read, by the keys of their rows. */
const sizes = [
  [1, SMALL],
  [2, LARGE],
] as const;

const columns = (bytes: string): string =>
  `id int NOT NULL PRIMARY KEY, content ${bytes}, picture ${bytes}`;

const schemas = {
  postgres: `CREATE SCHEMA app; CREATE TABLE app.doc (${columns('bytea')}, ver int NOT NULL DEFAULT 1);
INSERT INTO app.doc (id) VALUES (1), (2);`,
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.doc (${columns('varbinary(max)')}, ver int NOT NULL DEFAULT 1)`,
    'INSERT INTO app.doc (id) VALUES (1), (2)',
  ],
};

const mapping = `dataclass: Doc
table: app.doc
stamp: { counter: ver }
attributes:
  id: id
  content: { column: content, type: blob }
  picture: { column: picture, type: image }
`;

/** 1,600 by 1,200 pixels that are no more alike than a photograph's. */
async function picture(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const background = { r: 0, g: 0, b: 0 };
  return sharp({ create: { width: 1600, height: 1200, channels: 3, background, noise } })
    .blur(3)
    .png()
    .toBuffer();
}

/** What the gateway does for `$imageformat=jpeg`, by sharp alone. */
function byHand(bytes: Buffer): Promise<Buffer> {
  return sharp(bytes, { failOn: 'error', sequentialRead: true })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .jpeg()
    .toBuffer();
}

/** Reads an answer to its end as it comes, and keeps nothing of it. @returns how many bytes it has */
function read(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, (response) => {
      let length = 0;
      response.on('data', (chunk: Buffer) => (length += chunk.length));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(length);
        else reject(new Error(`${url}: ${String(response.statusCode)}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function readAll(url: string, expected: number): Promise<void> {
  const length = await read(url);
  if (length !== expected) throw new Error(`${url}: ${length} bytes`);
}

/** Fills a database by way of a gateway in this process. */
async function fill(opened: OpenTarget, mappings: string, png: Buffer): Promise<void> {
  const { server } = await loadConfig('config.yaml', {});
  const gateway = await startGateway(opened.database, {
    mappings,
    server: { ...server, maxBodyBytes: 2 * LARGE },
  });
  try {
    const values = [
      ...sizes.map(([id, size]) => [`Doc(${id})/content?$binary=true`, randomBytes(size)] as const),
      ['Doc(1)/picture?$rawPict=true', png] as const,
    ];
    for (const [path, body] of values) {
      const { status, text } = await gateway.get(`/rest/${path}`, { method: 'POST', body });
      if (status !== 200) throw new Error(text);
    }
  } finally {
    await gateway.close();
  }
}

async function measure(name: string, opened: OpenTarget, folder: string): Promise<void> {
  const mappings = join(folder, 'mappings');
  await mkdir(mappings);
  await writeFile(join(mappings, 'doc.yaml'), mapping);
  const png = await picture();
  await fill(opened, mappings, png);
  const config = join(folder, 'config.yaml');
  const { database } = opened;
  const settings = { server: { port: 0 }, log: { level: 'error' }, mappings: 'mappings', database };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(settings));
  const { serving, child, ended } = runGateway(['serve', '--config', config]);
  try {
    const base = `${await serving}/rest`;
    const blob = (id: number): string => `${base}/Doc(${id})/content?$binary=true&$expand=content`;
    console.log(`${name}: after the start at most ${((await peak(child.pid)) / MB).toFixed(0)} MB`);
    for (const [id, size] of sizes) {
      const times: number[] = [];
      for (let turn = 0; turn < 7; turn += 1) {
        times.push(await time(() => readAll(blob(id), size)));
      }
      const most = ((await peak(child.pid)) / MB).toFixed(0);
      console.log(
        `  a BLOB of ${size / MB} MB: ${spread(times.slice(1), 0)} ms, at most ${most} MB`,
      );
    }
    const jpeg = `${base}/Doc(1)/picture?$imageformat=jpeg&$expand=picture`;
    const { length } = await byHand(png);
    const converted = await alternated(
      15,
      () => readAll(jpeg, length),
      () => byHand(png),
    );
    const bytes = (png.length / MB).toFixed(1);
    console.log(
      `  a PNG of ${bytes} MB as a JPEG of ${(length / MB).toFixed(1)} MB / sharp alone: ${shown(converted)}`,
    );
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** Measures one database in a folder of its own, and drops both. */
async function measured(
  name: string,
  open: (folder: string) => OpenTarget | Promise<OpenTarget>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'entitygate-bench-'));
  try {
    const opened = await open(folder);
    await measure(name, opened, folder).finally(() => opened.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

build();
await measured('PGlite', async (folder) => {
  const seed = join(folder, 'seed.sql');
  await writeFile(seed, schemas.postgres);
  const database = {
    engine: 'pglite',
    statementTimeoutSeconds: 30,
    directory: join(folder, 'data'),
    seed,
  } as const;
  return { database, close: () => Promise.resolve() };
});
if ((await postgresTarget.unavailable()) === null) {
  await measured('PostgreSQL', () => openPostgresDatabase(schemas.postgres));
} else console.log('PostgreSQL: not reached');
if ((await sqlServerTarget.unavailable()) === null) {
  await measured('SQL Server', () => openSqlServerDatabase(() => schemas.sqlserver));
} else console.log('SQL Server: not reached');
