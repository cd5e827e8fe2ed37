import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../src/cli/commands.ts';
import { person } from '../cli/person.ts';
import { commandIo } from '../cli/run.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { blocksOf, compared, type Block } from '../docs/examples.ts';
import { northwindPostgres, northwindTsql } from '../fixtures/northwind/northwind.ts';
import { freePort } from '../targets/free-port.ts';
import { describeWith } from '../targets/missing.ts';
import { executeScript, openPostgresDatabase, postgresTarget } from '../targets/postgres.ts';
import {
  executeBatches,
  openSqlServerDatabase,
  sqlServerTarget,
  sqlServerVersion,
} from '../targets/sqlserver.ts';
import type { OpenTarget, Target } from '../targets/target.ts';
import { PROGRAM, runGateway, type GatewayProcess } from './gateway-process.ts';
import { startOpenIdProvider, type OpenIdProvider } from './sign-in/provider.ts';

/**
 * Walks through the guide as its reader does, in a folder of its own: runs what its blocks say, edits the files, starts the gateway anew, and compares
 * what is printed with what the guide shows.
 */
const PAGE = 'docs/guide/first-hour.md';

/** The database, the gateway and the identity provider of the guide. */
const URL_OF_GUIDE =
  /(?:mssql|postgres):\/\/(\w+):([^@\s]+)@db\.example\.com\/Northwind\?(?:trustServerCertificate=true|sslmode=no-verify)/g;
const GATEWAY = 'http://127.0.0.1:8080';
const ISSUER = 'https://login.example.com/realms/erp';
const METRICS_PORT = '9464';

/** The password of the login that reads. */
const PASSWORD = 'Reader-2026';

/** The comment with the type of a column. */
const TYPE = / # \w+[\w(), ]*$/gm;

/** Blocks that cannot be run here, by what they begin with, and why. */
const notRun: Readonly<Record<string, string>> = {
  'npm ci\nnpm pack\n': 'changes the machine; package.test.ts installs the package',
  'sqlcmd ': 'the database is made by the same script through the driver',
  'createdb ': 'the database is made by the same script through the driver',
  'sudo ': 'changes the machine',
  'docker ': 'needs a container runtime',
};

/** An engine that the guide is walked on. */
interface Engine {
  readonly target: Target;
  /** The language of its blocks in the guide. */
  readonly language: string;
  readonly open: () => Promise<OpenTarget>;
  readonly execute: (url: string, statements: readonly string[]) => Promise<unknown>;
  /** The version string. */
  readonly version: () => Promise<string>;
  /** The database, as the path of a URL, in which logins are dropped when their own is gone. */
  readonly serverDatabase: string;
  readonly dropLogin: (login: string) => string;
}

const engines: readonly Engine[] = [
  {
    target: postgresTarget,
    language: 'plpgsql',
    open: () => openPostgresDatabase(northwindPostgres),
    execute: (url, statements) => executeScript(url, statements.join('')),
    version: () => Promise.resolve(''),
    serverDatabase: '/postgres',
    dropLogin: (login) => `DROP ROLE ${login}`,
  },
  {
    target: sqlServerTarget,
    language: 'tsql',
    open: () => openSqlServerDatabase(() => northwindTsql),
    execute: executeBatches,
    version: sqlServerVersion,
    serverDatabase: '/master',
    dropLogin: (login) => `DROP LOGIN ${login}`,
  },
];
const missing = await Promise.all(engines.map(({ target }) => target.unavailable()));
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** What the reader does, one after the other; the block of what is printed is no step. */
const blocks = blocksOf(PAGE);
const steps = blocks
  .filter(({ language }) => ['sh', 'console', 'tsql', 'plpgsql', 'diff'].includes(language))
  .filter(({ text }) => !Object.keys(notRun).some((begin) => text.startsWith(begin)));

/** The language of the engine that a block is for; null where it is for each. */
function engineOf({ language, text }: Block): string | null {
  if (language === 'tsql' || /mssql:|: sqlserver$/m.test(text)) return 'tsql';
  return language === 'plpgsql' || /postgres:\/\/|: postgres$/m.test(text) ? 'plpgsql' : null;
}

/** What the guide shows as printed by a command, or by that and the one for the other engine. */
function shownAfter(block: Block): Block | null {
  const next = blocks.slice(blocks.indexOf(block) + 1).find((other) => {
    const isOfOther = engineOf(block) !== null && engineOf(other) !== null;
    return other.language !== 'powershell' && !isOfOther;
  });
  const printed = ['text', 'json', 'http', 'sql', 'yaml'];
  return next !== undefined && printed.includes(next.language) ? next : null;
}

/** A walk on one engine. */
class Walk {
  readonly #engine: Engine;
  readonly #folder: TestFolder;
  readonly #opened: OpenTarget;
  readonly #url: URL;
  readonly #isBabelfish: boolean;
  readonly #provider: OpenIdProvider;
  readonly #metricsPort: number;
  /** Logins belong to the server: those of each walk are its own. */
  readonly #suffix = `_${randomBytes(4).toString('hex')}`;
  readonly #logins: string[] = [];
  readonly #environment: Record<string, string> = {};
  /** What the guide shows of values that are others here: stamps, the key and its hash. */
  readonly #learned = new Map<string, string>();
  #gateway: GatewayProcess | undefined;
  #address = GATEWAY;

  private constructor(
    engine: Engine,
    folder: TestFolder,
    opened: OpenTarget,
    version: string,
    provider: OpenIdProvider,
    metricsPort: number,
  ) {
    if (!('url' in opened.database)) throw new Error(`${engine.target.name} has no URL`);
    this.#engine = engine;
    this.#folder = folder;
    this.#opened = opened;
    this.#url = new URL(opened.database.url ?? '');
    this.#isBabelfish = version.includes('Babelfish');
    this.#provider = provider;
    this.#metricsPort = metricsPort;
  }

  static async begin(engine: Engine): Promise<Walk> {
    const folder = await testFolder();
    // A link, as npm installs one: the program calls itself by its name.
    const installed = join(folder.path, 'entitygate');
    await symlink(resolve(PROGRAM), installed);
    const program = `#!/bin/sh\nexec '${process.execPath}' '${installed}' "$@"\n`;
    await chmod(await folder.write('bin/entitygate', program), 0o755);
    const provider = await startOpenIdProvider();
    provider.register([]);
    const version = await engine.version();
    return new Walk(engine, folder, await engine.open(), version, provider, await freePort());
  }

  async end(): Promise<void> {
    await this.#stop();
    await this.#provider.close();
    await this.#opened.close();
    const server = new URL(this.#url);
    server.pathname = this.#engine.serverDatabase;
    for (const login of this.#logins)
      await this.#engine.execute(server.href, [this.#engine.dropLogin(login)]);
    await this.#folder.remove();
  }

  async #stop(): Promise<void> {
    this.#gateway?.child.kill();
    await this.#gateway?.ended;
  }

  /** A text of the guide as it has to be here. */
  here(text: string): string {
    const { protocol, host, pathname, search } = this.#url;
    let said = text
      .replace(URL_OF_GUIDE, `${protocol}//$1:$2@${host}${pathname}${search}`)
      .replace(/\bgateway_(reader|writer)\b/g, `$&${this.#suffix}`)
      .replaceAll(GATEWAY, this.#address)
      .replaceAll(ISSUER, this.#provider.issuer)
      .replaceAll(METRICS_PORT, String(this.#metricsPort));
    if (this.#engine.language !== 'tsql')
      said = said.replace(/^entitygate sql .*/m, '$& --dialect tsql');
    for (const [shown, actual] of this.#learned) said = said.replaceAll(shown, actual);
    return said;
  }

  async statements(text: string): Promise<void> {
    const created = text.matchAll(/CREATE (?:LOGIN|ROLE) (\w+)/g);
    for (const [, login = ''] of created) this.#logins.push(login);
    // Babelfish has no such right, and shows every definition.
    const statements = text
      .split(/^(?=\w)/m)
      .filter((statement) => !(this.#isBabelfish && statement.includes('VIEW DEFINITION')));
    await this.#engine.execute(this.#url.href, statements);
  }

  /** What a command prints, as the guide would show it. */
  async output(command: string): Promise<string> {
    for (const [, name = '', value = ''] of command.matchAll(/^export (\w+)='(.*)'$/gm)) {
      this.#environment[name] = value;
    }
    const printed = /^entitygate serve /m.test(command)
      ? await this.#serve(/ > (\S+)$/m.exec(command)?.[1])
      : await this.#shell(command);
    return printed
      .replaceAll(new URL(this.#address).host, new URL(GATEWAY).host)
      .replaceAll(new URL(this.#provider.issuer).host, new URL(ISSUER).host)
      .replaceAll(this.#suffix, '');
  }

  /** A session at a terminal with the answers that the guide shows, and what it shows; files go to a folder of their own. */
  async dialog({ language, text }: Block): Promise<ReturnType<typeof compared>> {
    const { host, pathname } = this.#url;
    const here = this.here(text).replace('db.example.com/Northwind', `${host}${pathname}`);
    // A server of PostgreSQL on this machine is not asked about.
    const shown =
      this.#engine.language === 'tsql'
        ? here
        : here.replace(/^Encrypt .*\n(?: .*\n)+Number.*\n/m, '');
    const [command = '', ...lines] = shown.split('\n');
    const { readLine } = person(
      lines.flatMap((line) =>
        line === 'Password:' ? PASSWORD : (/^.* \[.*\]: ?(.*)$/.exec(line)?.[1] ?? []),
      ),
    );
    const own = `${this.#folder.path}/dialog/`;
    const args = command.split(' ').slice(2);
    let said = `${command}\n`;
    const io = commandIo({
      out: (text) => (said += text),
      // Progress begins each time at the start of the line.
      error: (text) => (said += text.startsWith('\r') ? '' : text),
      isTerminal: true,
      input: {
        isTerminal: true,
        readLine: async (prompt) => {
          const answer = await readLine(prompt);
          said += `${`${prompt}${answer}`.trimEnd()}\n`;
          return answer;
        },
        readSecret: (prompt) => {
          said += `${prompt.trimEnd()}\n`;
          return readLine(prompt);
        },
      },
    });
    await runCommandLine(
      args.map((arg) => (arg === 'northwind' ? `${own}${arg}` : arg)),
      io,
    );
    return compared(said.replaceAll(own, ''), { language, text: shown });
  }

  /** Starts the gateway, in place of the one that runs. @param log the file that its standard output goes to */
  async #serve(log: string | undefined): Promise<string> {
    await this.#stop();
    const args = [
      'serve',
      '--config',
      join(this.#folder.path, 'northwind/config.yaml'),
      '--port',
      '0',
    ];
    const stdout = log === undefined ? 'pipe' : openSync(join(this.#folder.path, log), 'w');
    this.#gateway = runGateway(args, this.#environment, undefined, stdout);
    if (stdout !== 'pipe') closeSync(stdout);
    let said = '';
    this.#gateway.child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    this.#address = await this.#gateway.serving;
    return said;
  }

  #shell(command: string): Promise<string> {
    const PATH = [`${this.#folder.path}/bin`, process.env['PATH']].join(delimiter);
    const env = { ...process.env, ...this.#environment, PATH };
    const script = `curl() { command curl -sS "$@"; }\n${command}`;
    return new Promise((done) => {
      execFile(
        'sh',
        ['-c', script],
        { env, cwd: this.#folder.path, timeout: 60_000 },
        (_, stdout, stderr) => done(stdout === '' ? stderr : stdout),
      );
    });
  }

  /** Remembers the values that the guide shows others of, for the steps that use them. */
  learn(output: string, shown: string): void {
    const stamp = /"__STAMP": ?(\d+)/;
    const [, theirs] = stamp.exec(shown) ?? [];
    const [, ours] = stamp.exec(output) ?? [];
    if (theirs !== undefined && ours !== undefined)
      this.#learned.set(`"__STAMP":${theirs},`, `"__STAMP":${ours},`);
    const [key] = /egk_[\w-]{48}/.exec(output) ?? [];
    const [hash] = /sha256:[0-9a-f]{64}/.exec(output) ?? [];
    if (key !== undefined) this.#learned.set('egk_…', key);
    if (hash !== undefined) this.#learned.set('sha256:…', hash);
  }

  /** Both sides without what the engines differ in. */
  compared(output: string, { language, text }: Block): ReturnType<typeof compared> {
    const common = (side: string): string => this.#common(side, language);
    return compared(common(output), { language, text: common(text) });
  }

  /** Leaves out the stamps, the advice on a database's settings, on PostgreSQL the types of columns, and on Babelfish the capitals of the database's names, which it does not keep. */
  #common(text: string, language: string): string {
    if (language === 'json' || language === 'http')
      return text.replace(/("__STAMP": ?)\d+/g, '$10');
    const stampless = text.replace(/^(?:stamp: xmin|# The stamp is a hash.*|advice: .*)\n/gm, '');
    const typeless = this.#engine.language === 'tsql' ? stampless : stampless.replace(TYPE, '');
    return this.#isBabelfish ? typeless.toLowerCase() : typeless;
  }

  /** Edits a file: lines with `-` go, those with `+` follow the lines before them, or stand at the end, and the others tell where. */
  async edit(diff: string): Promise<void> {
    const [, name = '', changes = ''] = /^--- (\S+)\n([^]*)$/.exec(diff) ?? [];
    const path = join(this.#folder.path, name);
    let lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const bare = (line: string): string => this.#common(line.replace(TYPE, ''), 'text');
    const hunks = changes.matchAll(/((?:[- ].*\n)*)((?:\+.*\n)*)/g);
    for (const [hunk, before = '', added = ''] of hunks) {
      const old = before.match(/(?<=^.).*$/gm) ?? [];
      const fresh = [...before.matchAll(/^ (.*)$/gm), ...added.matchAll(/^\+(.*)$/gm)].map(
        ([, line = '']) => line,
      );
      const start =
        old.length === 0
          ? lines.length
          : lines.findIndex((_, index) =>
              old.every((line, more) => bare(lines[index + more] ?? '') === bare(line)),
            );
      if (start < 0) throw new Error(`${name} has no lines\n${hunk}`);
      lines = lines.toSpliced(
        start,
        old.length,
        ...fresh.map((line) => this.#physical(line, lines)),
      );
    }
    await writeFile(path, `${lines.join('\n')}\n`);
  }

  /** A new line with the names of tables and columns as Babelfish has them. */
  #physical(line: string, lines: readonly string[]): string {
    if (!this.#isBabelfish) return line;
    const file = lines.join('\n');
    return line.replace(/\w+/g, (word) =>
      !file.includes(word) && file.includes(word.toLowerCase()) ? word.toLowerCase() : word,
    );
  }
}

test.each(blocks.filter(({ language }) => language === 'powershell'))(
  'line $line: PowerShell asks for what the shell before it asks for',
  (block) => {
    const shell = blocks[blocks.indexOf(block) - 1];
    const asked = ({ text }: Block): string[] =>
      text.match(/http:[^'\s]+|(?<=")__\w+":[^,]+/g) ?? [];
    expect(shell === undefined ? [] : asked(block)).toEqual(
      shell?.language === 'sh' ? asked(shell) : [],
    );
  },
);

test.each(Object.keys(notRun))('the guide has the command that is not run: %j', (begin) => {
  expect(blocks.some(({ text }) => text.startsWith(begin))).toBe(true);
});

describe.each(engines)('the first hour on $target.name', (engine) => {
  const why = hasCurl ? missing[engines.indexOf(engine)] : 'there is no curl';
  describeWith(why ?? null, PAGE, () => {
    let walk: Walk;
    beforeAll(async () => {
      walk = await Walk.begin(engine);
    });
    afterAll(() => walk.end());

    const mine = steps.filter((step) => [engine.language, null].includes(engineOf(step)));
    test.each(mine)('line $line: $text', async (step) => {
      const text = walk.here(step.text);
      if (step.language === 'diff') return walk.edit(text);
      if (step.language === 'console') {
        const { actual, shown } = await walk.dialog(step);
        expect(actual).toEqual(shown);
        return;
      }
      if (step.language !== 'sh') return walk.statements(text);
      const shown = shownAfter(step);
      const answer = async (): Promise<void> => {
        const output = await walk.output(text);
        if (shown === null) return;
        walk.learn(output, shown.text);
        const { actual, shown: expected } = walk.compared(output, shown);
        expect(actual).toEqual(expected);
      };
      // The log is written when there is time, and reading it changes nothing.
      if (text.startsWith('tail ')) await vi.waitFor(answer, 20_000);
      else await answer();
    });
  });
});
