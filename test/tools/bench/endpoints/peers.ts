import { access } from 'node:fs/promises';
import pg from 'pg';
import type { Config } from '../../../../src/config/config.ts';
import { startSide, type Side } from './process.ts';
import type { Peer } from './run.ts';

const FOLDER = 'test/tools/bench/peers';
const SERVES = /^serves at http:\/\/.*:(\d+)$/m;

/** What `cds deploy` would make for the service. */
const VIEWS =
  'CREATE VIEW app.main_employees AS SELECT * FROM app.employee; CREATE VIEW app.main_wides AS SELECT * FROM app.wide';

async function run(connectionString: string, script: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(script).finally(() => client.end());
}

/** How each peer is started in front of a PostgreSQL database. */
const peers: Readonly<Record<'platformatic' | 'cap', (url: string) => Promise<Side>>> = {
  platformatic: (url) =>
    startSide('Platformatic', ['server.js'], SERVES, {
      cwd: `${FOLDER}/platformatic`,
      env: { PEER_DATABASE: url },
    }),
  cap: async (url) => {
    await run(url, VIEWS);
    const { hostname: host, port, username, password, pathname } = new URL(url);
    const credentials = {
      host,
      port: Number(port === '' ? 5432 : port),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: pathname.slice(1),
      schema: 'app',
    };
    const config = JSON.stringify({ requires: { db: { credentials } } });
    return startSide('SAP CAP', ['node_modules/@sap/cds/bin/serve.js', '--port', '0'], SERVES, {
      cwd: `${FOLDER}/cap`,
      env: { CDS_CONFIG: config },
    });
  },
};

/** Starts the peers that are installed in their folders, in front of the same database. */
export async function startPeers(database: Config['database']): Promise<readonly Peer[]> {
  const started: Peer[] = [];
  if (database.engine !== 'postgres') return started;
  for (const audience of ['platformatic', 'cap'] as const) {
    const installed = await access(`${FOLDER}/${audience}/node_modules`).then(
      () => true,
      () => false,
    );
    if (!installed) {
      console.log(`${audience}: not installed, see test/tools/bench/peers/README.md`);
      continue;
    }
    const side = await peers[audience](database.url);
    started.push({ audience, side });
    if (audience === 'platformatic') {
      const name = `${side.name}, counted`;
      const counted = { ...side, name, stop: () => Promise.resolve() };
      started.push({ audience: 'platformaticCounted', side: counted });
    }
  }
  return started;
}
