import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../config/files.ts';
import { runGateway } from './gateway-process.ts';

/** What the process that serves the sample may hold, in MB; docs/reference/performance.md says what it consists of. */
const MOST = 250;

/** Ten of each: what is held grows little afterwards, to the 225 MB of a thousand. */
const REQUESTS = 120;

/** What users of the README and of the explorer ask for, in turns. */
const URLS = [
  '/rest/Employee(3)?$attributes=fullName,hireDate,manager.fullName',
  '/rest/Employee?$top=100&$skip=200',
  '/rest/Employee?$filter="lastName=O@"&$orderby="employer.name,ID"&$top=40&$attributes=fullName,employer.name',
  '/rest/Order?$top=20&$expand=lines',
  '/rest/Order(7)/lines?$attributes=line,quantity,remark&$asArray=true',
  '/rest/Employee?$filter="grade<5"&$method=entityset&$top=10&$timeout=60',
  '/rest/Employee/grade?$compute=$all',
  '/rest/Employee/lastName?$distinct=true',
  '/rest/Employee?$format=csv&$top=400',
  '/rest/Employee(1)/photo?$imageformat=jpeg',
  '/rest/$catalog/$all',
  '/rest/$openapi',
];

/** Serves the sample for the requests, and expects that the process has become small after them. */
async function staysSmall(config: string): Promise<void> {
  const args = ['serve', '--config', config];
  const { child, ended, serving } = runGateway(args, {}, undefined, 'pipe', false);
  try {
    const base = await serving;
    const statuses = new Set<number>();
    let sent = 0;
    const client = async (): Promise<void> => {
      while (sent < REQUESTS) {
        const answer = await fetch(`${base}${URLS[sent++ % URLS.length] ?? ''}`);
        await answer.arrayBuffer();
        statuses.add(answer.status);
      }
    };
    await Promise.all([client(), client(), client(), client()]);
    expect([...statuses]).toEqual([200]);
    const resident = async (): Promise<number> => {
      const status = await readFile(`/proc/${child.pid ?? 0}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    };
    await expect.poll(resident).toBeLessThan(MOST);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

test.runIf(process.platform === 'linux')(
  'requests to the embedded sample leave the process small, after each start',
  async () => {
    const folder = await testFolder();
    const config = await folder.write(
      'config.yaml',
      [
        'server: { port: 0 }',
        'log: { level: error }',
        `database: { engine: pglite, directory: data, seed: ${resolve('sample.sql.gz')} }`,
        `mappings: ${resolve('mappings')}`,
      ].join('\n'),
    );
    try {
      // The first start fills the database, the second one finds it.
      await staysSmall(config);
      await staysSmall(config);
    } finally {
      await folder.remove();
    }
  },
);
