import { beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../config/files.ts';
import { runGateway } from './gateway-process.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const folder = await sharedFolder();
let config: string;
beforeAll(async () => {
  await folder.write(
    'seed.sql',
    'CREATE SCHEMA app; CREATE TABLE app.thing (id int PRIMARY KEY, n int); INSERT INTO app.thing VALUES (1, 4711);',
  );
  await folder.write(
    'mappings/thing.yaml',
    'dataclass: Thing\ntable: app.thing\nattributes: { id: id, n: n }\n',
  );
  config = await folder.write(
    'config.yaml',
    "server: { port: 0 }\ndatabase: { engine: pglite, directory: 'memory:', seed: seed.sql }\ntraces: true\n",
  );
});

/** Runs the program for one request. @returns the lines of its log, and what else it printed */
async function runFor(
  path: string,
  preload?: string,
): Promise<{ readonly log: string[]; readonly printed: string }> {
  const gateway = runGateway(['serve', '--config', config], {}, preload);
  const address = await gateway.serving;
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
  const answer = await fetch(`${address}${path}`, { headers });
  expect(answer.status).toBe(200);
  await answer.text();
  const { stdout, code } = await gateway.end('SIGTERM');
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  const isLog = (line: string): boolean => line.startsWith('{"level"');
  return {
    log: lines.filter(isLog),
    printed: lines.filter((line) => !isLog(line)).join('\n'),
  };
}

test('the module of the documentation has the spans of a request printed', async () => {
  const { printed } = await runFor(
    '/rest/Thing?$filter="n=4711"&$top=5',
    './docs/how-to/opentelemetry.js',
  );
  const spans = printed.split(/^\}$/m).filter((span) => span.includes(`traceId: '${TRACE}'`));
  const request = spans.find((span) => span.includes("name: 'read Thing'")) ?? '';
  const own = /^ {2}id: '(\w+)'/m.exec(request)?.[1] ?? '';
  expect(request).toContain(`spanId: '${PARENT}'`);
  expect(request).toContain("'http.route': '/rest/Thing'");
  const statements = spans.filter((span) => span.includes("'db.query.text': "));
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.filter((span) => !span.includes(`spanId: '${own}'`))).toEqual([]);
  expect(printed).not.toContain('4711');
});

test('without an SDK, the log says that no spans are recorded', async () => {
  const { log, printed } = await runFor('/rest/Thing(1)');
  const warnings = log
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .filter(({ level }) => level === 40);
  expect(warnings.map(({ msg }) => msg)).toEqual([
    'traces is true, and no OpenTelemetry SDK is registered, so that no spans are recorded: start the process with node --import and a module that registers one',
  ]);
  expect(printed.trim()).toBe('');
});
