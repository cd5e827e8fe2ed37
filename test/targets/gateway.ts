import { request } from 'node:http';
import { parse } from 'lossless-json';
import { buildApp, openDatabase } from '../../src/app.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Clock } from '../../src/base/time.ts';
import type { Command, Connection, Database } from '../../src/database/database.ts';
import { answerTo, decompressed } from '../fixtures/http.ts';

/** A number that a double cannot hold; tests write it as `exact('9007199254740993')`. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** The number with exactly these digits, as {@link Answer.body} holds it. */
export function exact(digits: string): ExactNumber {
  return new ExactNumber(digits);
}

/** An answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The JSON of the answer, if it is that; numbers that a double cannot hold as {@link ExactNumber}. */
  readonly body: unknown;
}

/** What goes with a URL. */
export interface Sent {
  /** GET where it is left out. */
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway that listens on a port of its own. */
export interface Gateway {
  readonly port: number;
  /** The address of the metrics; null where they have no port of their own. */
  readonly metricsUrl: string | null;
  /** Sends the URL as it is, but for characters that no URL can carry. */
  readonly get: (url: string, options?: Sent) => Promise<Answer>;
  /** The statements that were sent to the database since the last call. */
  readonly takeStatements: () => string[];
  /** The same with what their parameters were given; one call takes for both. */
  readonly takeCalls: () => Command[];
  /** Those of the statements that changed something, since the last call. */
  readonly takeChanges: () => string[];
  readonly database: Database;
  /** Changes settings of the configuration, which the next reload reads. */
  readonly configure: (settings: Partial<Config>) => void;
  readonly close: () => Promise<void>;
}

/**
 * Starts a gateway with the repository's own configuration in front of a database.
 * @param shared an open database to serve instead of opening it once more; it stays open when the gateway closes
 * @param clock by which entity sets live, instead of the machine's
 */
export async function startGateway(
  database: Config['database'],
  settings: Partial<Config> = {},
  shared?: Database,
  clock?: Clock,
): Promise<Gateway> {
  const base = await loadConfig('config.yaml', {});
  const calls: Command[] = [];
  const changes: string[] = [];
  // The reports are those of the sample's mapping files.
  const reports = settings.mappings === undefined ? base.reports : undefined;
  let config: Config = { ...base, log: { level: 'silent' }, reports, ...settings, database };
  const app = await buildApp(
    config,
    async (configured) => {
      const opened =
        shared === undefined
          ? await openDatabase(configured)
          : { ...shared, close: () => Promise.resolve() };
      const note = (command: Command): void => {
        const { effect, text, commitsItself } = command.statement;
        calls.push(command);
        if (effect === 'write' && commitsItself === undefined) changes.push(text);
      };
      const noting = ({ run }: Connection): Pick<Connection, 'run'> => ({
        run: async (command, options) => {
          note(command);
          const result = await run(command, options);
          const { commitsItself, text } = command.statement;
          // It tells of the row that it has changed, or has changed none.
          if (commitsItself !== undefined && result.rows.length > 0) changes.push(text);
          return result;
        },
      });
      return {
        ...opened,
        ...noting(opened),
        stream: (command, options) => {
          note(command);
          return opened.stream(command, options);
        },
        transaction: (work, activity) =>
          opened.transaction((on) => work({ ...on, ...noting(on) }), activity),
      };
    },
    clock,
    null,
    () => Promise.resolve(config),
  );
  try {
    await app.server.listen({ host: '127.0.0.1', port: 0 });
  } catch (error) {
    await app.close();
    throw error;
  }
  const address = app.server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    metricsUrl: app.metricsUrl(),
    database: app.database,
    get: (url, options) => send(port, url, options),
    configure: (changed) => {
      config = { ...config, ...changed };
    },
    takeStatements: () => calls.splice(0).map(({ statement }) => statement.text),
    takeCalls: () => calls.splice(0),
    takeChanges: () => changes.splice(0),
    close: () => app.close(),
  };
}

async function send(port: number, url: string, options: Sent = {}): Promise<Answer> {
  // Everything but visible ASCII.
  const path = url.replace(/[^\u0021-\u007e]+/gu, (text) => encodeURIComponent(text));
  const { method = 'GET', body } = options;
  // Node frames the body of a DELETE only where its length is said.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const headers = { ...length, ...options.headers };
  const sent = request({ host: '127.0.0.1', port, path, method, headers });
  const answer = await answerTo(sent, body);
  const text = decompressed(answer).toString('utf8');
  const isRead = isJson(answer.headers['content-type']);
  return { ...answer, text, body: isRead ? readJson(text) : undefined };
}

function isJson(type = 'application/json'): boolean {
  return type.startsWith('application/json');
}

/** JSON with numbers that a double cannot hold as {@link ExactNumber}; undefined for an empty text. */
export function readJson(text: string): unknown {
  if (text === '') return undefined;
  return parse(text, null, {
    // JSON that a column holds may have two members of one name.
    onDuplicateKey: ({ newValue }) => newValue,
    parseNumber: readNumber,
  });
}

/** The number with these digits, which may be more than a double holds. */
export function readNumber(digits: string): number | ExactNumber {
  const value = Number(digits);
  const isExact = digits.includes('.') || digits.includes('e') || Number.isSafeInteger(value);
  return isExact && significant(digits) <= 15 ? value : new ExactNumber(digits);
}

function significant(digits: string): number {
  return digits
    .replace(/e.*$/i, '')
    .replace(/^-?0*\.?0*/, '')
    .replace('.', '').length;
}
