import { type App, buildApp, openDatabase } from '../app.ts';
import { keepHeapSmall, letYoungHeapGrow } from '../base/heap.ts';
import type { Config } from '../config/config.ts';
import { checkListening } from '../config/settings/listening.ts';
import { type CommandLineSettings, loadConfig } from '../config/load.ts';
import { MCP_PATH } from '../config/settings/mcp.ts';
import { type Dataclass, isStored, type Model, relationsOf } from '../model/types.ts';
import type { WorkerConnection } from '../server/workers/messages.ts';
import { listenProblem } from '../server/http/listen-problem.ts';
import { EXPLORER_PATH, hasExplorer } from '../server/http/browsers.ts';
import { configPath, defineCommand } from './command.ts';
import type { CommandIo } from './io.ts';
import { isWorker, servePrimary, serveWorker, workerCount } from './serve-workers.ts';
import { hearHangUps, stopOnSignal } from './signals.ts';
import { sampleOf } from './sample.ts';

const usage = `Usage: entitygate serve [options]

Starts the gateway: it serves the database of the configuration below /rest/.

Options:
  --config FILE   the configuration file (default: config.yaml; also ENTITYGATE_CONFIG). Where none is
                  named and there is no config.yaml, the sample is served, with its data in .data/sample
  --host ADDRESS  the address to listen on (also ENTITYGATE_HOST)
  --port NUMBER   the port to listen on (also ENTITYGATE_PORT)
  --help          show this text

ENTITYGATE_DATABASE_URL, ENTITYGATE_LOG_LEVEL and ENTITYGATE_ALLOW_UNAUTHENTICATED override
database.url, log.level and server.allowUnauthenticated of the configuration file. An option
overrides the environment, and the environment overrides the file.
`;

/** Serves until a signal stops the process. Its promise ends when the gateway listens, or, of a primary, when all workers have ended. */
export const serveCommand = defineCommand({
  name: 'serve',
  usage,
  options: {
    config: { type: 'string' },
    host: { type: 'string' },
    port: { type: 'string' },
  },
  failure: 'entitygate cannot start',
  run: ({ values }, io) => serve(values, io),
});

/** @returns the exit code; a process that serves alone continues after that */
async function serve(
  options: CommandLineSettings & { readonly config?: string | undefined },
  io: CommandIo,
): Promise<number> {
  const sample = sampleOf(options.config, io.environment);
  const load = (): Promise<Config> =>
    sample === null
      ? loadConfig(configPath(options.config, io.environment), io.environment, options)
      : loadConfig(sample.config, io.environment, { ...options, database: sample.database });
  if (isWorker(io.environment)) {
    // The primary tells its workers of SIGHUP.
    process.on('SIGHUP', () => undefined);
    return serveWorker(async (worker) => {
      const { banner } = await serveHere(load, await load(), worker);
      return banner;
    });
  }
  const hangUps = hearHangUps();
  const config = await load();
  const count = workerCount(config);
  if (count === 1) {
    const { app, banner } = await serveHere(load, config, null);
    io.error(sample === null ? banner : `${banner}${SAMPLE_SERVED}`);
    hangUps.begin(() => app.reload('signal'));
    return 0;
  }
  await checkListening(config);
  return servePrimary(config, count, io, hangUps);
}

const SAMPLE_SERVED = `
There is no config.yaml in this folder, so this is the sample; its data is in .data/sample.
To serve a database of your own, run entitygate init --database URL here (see entitygate init --help),
and then entitygate serve.
`;

/** Serves in this process; returns the text for the terminal, once it listens. @param load reads the configuration @param worker connects it with other workers, if any */
async function serveHere(
  load: () => Promise<Config>,
  config: Config,
  worker: WorkerConnection | null,
): Promise<{ readonly app: App; readonly banner: string }> {
  const app = await buildApp(config, openDatabase, performance, worker, load);
  try {
    // The name may not have been known until now, before the network was up.
    await checkListening(config);
    if (config.database.engine === 'pglite') keepHeapSmall();
    else letYoungHeapGrow();
    const { host, port, tls } = config.server;
    // Fastify names http wherever it does not make the server itself.
    const listenTextResolver = (address: string): string =>
      `Server listening at ${tls === undefined ? address : address.replace(/^http:/, 'https:')}`;
    await app.server.listen({ host, port, listenTextResolver });
  } catch (error) {
    await app.close();
    throw listenProblem(error as NodeJS.ErrnoException, {
      ...config.server,
      locate: (part) => config.locate(`server.${part}`),
      choose: { host: 'choose one with --host', port: 'choose one with --port' },
    });
  }
  stopOnSignal(app, config.server.shutdownSeconds, worker?.channel ?? null);
  return { app, banner: banner(app, config) };
}

function banner({ server, model, metricsUrl }: App, config: Config): string {
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.server.port;
  const host = ['0.0.0.0', '::'].includes(config.server.host) ? 'localhost' : config.server.host;
  const scheme = config.server.tls === undefined ? 'http' : 'https';
  const base = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = urlsToOpen(model).map((path) => `  ${base}${path}`);
  const explorer = hasExplorer(server)
    ? `Explore the data in a browser: ${base}${EXPLORER_PATH}\n`
    : '';
  const agents = config.mcp.enabled ? `Agents connect to ${base}${MCP_PATH}\n` : '';
  const metrics = metricsUrl();
  const more = metrics === null ? '' : `The metrics are at ${metrics}\n`;
  const { size } = model.dataclasses;
  const served = `${size} ${size === 1 ? 'dataclass' : 'dataclasses'}`;
  return `${explorer}Entitygate serves ${served} at ${base}/rest/\nOpen next:\n${lines.join('\n')}\n${agents}${more}`;
}

/** Returns three URLs to begin with: the catalog, a page, and attributes of a related entity. */
function urlsToOpen(model: Model): string[] {
  const central = [...model.dataclasses.values()].toSorted(
    (a, b) => relationsOf(b).length - relationsOf(a).length,
  )[0];
  if (central === undefined) return ['/rest/$catalog'];
  const toOne = relationsOf(central).find(({ kind }) => kind === 'relatedEntity');
  const name = firstText(central);
  const related = toOne === undefined ? undefined : firstText(toOne.target);
  return [
    '/rest/$catalog',
    `/rest/${central.name}?$top=5`,
    toOne !== undefined && name !== undefined && related !== undefined
      ? `/rest/${central.name}?$top=5&$attributes=${name},${toOne.name}.${related}`
      : `/rest/$catalog/${central.name}`,
  ];
}

function firstText({ members }: Dataclass): string | undefined {
  return [...members.values()].find((member) => isStored(member) && member.type === 'string')?.name;
}
