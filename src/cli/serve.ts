import { buildApp, openDatabase, type App } from '../app.ts';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { isRelation, type Dataclass, type Model, type Relation } from '../model/types.ts';

/** What the command line of `entitygate serve` can say. */
export interface ServeOptions {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}

/**
 * Serves until a signal stops the process.
 * @throws StartupError when the gateway cannot start
 */
export async function serve(options: ServeOptions, environment: NodeJS.ProcessEnv): Promise<void> {
  // An empty variable is one that is not set, as in compose files.
  const path = [options.config, environment['ENTITYGATE_CONFIG']].find(Boolean) ?? 'config.yaml';
  const config = await loadConfig(path, environment, options);
  const app = await buildApp(config, (settings) => openDatabase(settings, showWaiting));
  try {
    await app.server.listen({ host: config.server.host, port: config.server.port });
  } catch (error) {
    await app.close();
    throw listenProblem(error as NodeJS.ErrnoException, config);
  }
  stopOnSignal(app, config.server.shutdownSeconds);
  process.stderr.write(banner(app, config));
}

function showWaiting(message: string): void {
  process.stderr.write(`${message}\n`);
}

function listenProblem(error: NodeJS.ErrnoException, { server, locate }: Config): Error {
  const port = (message: string): StartupError =>
    new StartupError([
      { where: locate('server.port'), message: `port ${server.port} on ${server.host} ${message}` },
    ]);
  switch (error.code) {
    case 'EADDRINUSE':
      return port('is taken by another program; choose one with --port');
    case 'EACCES':
      return port('may not be used; ports below 1024 need a privilege');
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new StartupError([
        {
          where: locate('server.host'),
          message: `${server.host} is no address of this machine; choose one with --host`,
        },
      ]);
    case undefined:
    default:
      return error;
  }
}

/** A terminal's Ctrl+C reaches the process twice under npm, which passes it on: that is one signal, in milliseconds. */
const SAME_SIGNAL = 300;

/** The first signal finishes what is in flight; when that takes too long, or a second one comes, it ends at once. */
function stopOnSignal(app: App, seconds: number): void {
  let since: number | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    if (since !== null) {
      if (performance.now() - since > SAME_SIGNAL) process.exit(1);
      return;
    }
    since = performance.now();
    app.server.log.info({ signal }, 'stopping');
    setTimeout(() => {
      app.server.log.error('requests in flight took too long');
      process.exit(1);
    }, seconds * 1000).unref();
    app.close().then(
      () => {
        app.server.log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        app.server.log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function banner({ server, model }: App, config: Config): string {
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.server.port;
  const host = ['0.0.0.0', '::'].includes(config.server.host) ? 'localhost' : config.server.host;
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = urlsToOpen(model).map((path) => `  ${base}${path}`);
  return `Entitygate serves ${model.dataclasses.size} dataclasses at ${base}/rest/\nOpen next:\n${lines.join('\n')}\n`;
}

/** Three URLs that show what there is: the catalog, a page, and attributes of a related entity. */
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

function relationsOf({ members }: Dataclass): Relation[] {
  return [...members.values()].filter(isRelation);
}

function firstText({ members }: Dataclass): string | undefined {
  return [...members.values()].find((member) => !isRelation(member) && member.type === 'string')
    ?.name;
}
