import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'lossless-json';
import type { Config } from '../../../src/config/config.ts';
import { openSchema } from '../../targets/schema.ts';
import { startGatewaySide } from '../bench/endpoints/sides.ts';
import { HostileClient } from '../torture/client.ts';
import { fill, type Body, type Dataclass, type Entity, type Rows } from './bodies.ts';
import { clerkKey, mappings, schema, settings } from './tables.ts';

/** Headers that differ between two answers that are the same. */
const PASSED_OVER = /^(?:date|x-request-id|etag|content-length|set-cookie)$/;

/** Parts of what came of a body, in words that are those of the other side where the same came of it: the answer, new lines of the audit log, all rows of all tables. */
export const PARTS = ['status', 'headers', 'answer', 'audit', 'row'] as const;

/** With the command that sends the body to this side. */
export type Done = Readonly<Record<(typeof PARTS)[number] | 'command', readonly string[]>>;

type Headers = Readonly<Record<string, string>>;

/** Makes a database, and starts a program in front of it. @param folder a new one, for this twin alone @returns `rows` are what the database holds; `send` sends a body and looks at what has come of it */
export async function openTwin(
  program: string,
  engine: Config['database']['engine'],
  folder: string,
  has: Readonly<Record<'audit' | 'locks', boolean>>,
) {
  await mkdir(folder);
  const { database, close } = await openSchema(engine, schema, folder);
  const logFile = join(folder, 'audit.log');
  const audit = has.audit ? { to: logFile, values: 'all' } : undefined;
  const own = { program, files: mappings, settings: { ...settings, audit, locks: has.locks } };
  const { port, stop } = await startGatewaySide(folder, database, own);
  const client = new HostileClient(port, Object.keys(mappings).length);
  /** What this side has drawn by lot, and a name for it by the order in which it appeared. */
  const names = new Map<string, string>();
  let session: Headers = {};
  let audited = 0;
  let rows: Rows = {};

  const ask = async (method: string, url: string, headers: Headers = {}, content = '') => {
    const body = content === '' ? {} : { body: Buffer.from(content) };
    const reply = await client.send({ method, url, headers, ...body });
    if ('broken' in reply) return { status: 0, told: {} as Headers, text: reply.broken };
    return { status: reply.status, told: reply.headers as Headers, text: String(reply.bytes) };
  };

  /** Replaces what each side draws by lot: keys, and stamps that are no counters, which have more digits. @param isNew whether what appears first gets a name */
  const named = (text: string, isNew = true): string => {
    const nameOf = (lot: string): string => {
      if (isNew && !names.has(lot)) names.set(lot, `<${names.size}>`);
      return names.get(lot) ?? '?';
    };
    return text
      .replaceAll(/"__GlobalStamp":\d+,?|"time":"[^"]*","request":"[^"]*",/g, '')
      .replaceAll(/"__TIMESTAMP":"[^"]*"/g, '"__TIMESTAMP":"…"')
      .replaceAll(
        /("__KEY":("(?:[^"\\]|\\.)*"),(?:"__TIMESTAMP":[^,]*,)?"__STAMP":)(\d{3,})/g,
        (_, before: string, key: string, stamp: string) => before + nameOf(`${key} ${stamp}`),
      )
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b77\d{5}\b/gi, (id) => nameOf(id))
      .replaceAll(`127.0.0.1:${port}`, 'host');
  };

  const { text: catalog } = await ask('GET', '/rest/$catalog/$all');
  const { dataClasses: model } = JSON.parse(catalog) as { dataClasses: Dataclass[] };

  /** Orders rows by what is known of them: keys that are made by lot have no order that both sides share. */
  const ordered = <Row>(list: readonly Row[]): Row[] => {
    const known = new Map(list.map((row) => [row, named(stringify(row) ?? '', false)]));
    return list.toSorted((a, b) => ((known.get(a) ?? '') < (known.get(b) ?? '') ? -1 : 1));
  };

  /** Puts a list in order that an answer has read, and not been sent. */
  const inOrder = (_: string, it: unknown): unknown => {
    const { __ENTITYSET, __ENTITIES: list = [] } = (it ?? {}) as Record<string, unknown[]>;
    return __ENTITYSET === undefined ? it : { ...(it as object), __ENTITIES: ordered(list) };
  };

  const read = async (): Promise<string[]> => {
    const all = model.map(async ({ name }) => {
      const { text } = await ask('GET', `/rest/${name}?$top=10000`);
      const { __ENTITIES: entities } = JSON.parse(text) as { __ENTITIES?: readonly Entity[] };
      if (entities === undefined) throw new Error(`${name} cannot be read: ${text}`);
      return [name, ordered(entities)] as const;
    });
    rows = Object.fromEntries(await Promise.all(all));
    return Object.entries(rows).flatMap(([name, of]) =>
      of.map((row) => `${name} ${named(JSON.stringify(row))}`),
    );
  };

  const send = async ({ path, content, isByClerk, locked }: Body): Promise<Done> => {
    const body = content === undefined ? '' : JSON.stringify(fill(content, rows));
    const key = encodeURIComponent(String(fill(locked, rows)));
    const lock = async (isLocked: boolean): Promise<void> => {
      if (locked === null || !has.locks) return;
      const url = `${path.replace(/\?.*/, '')}(${key})?$lock=${String(isLocked)}`;
      const { 'entitygate-session': id } = (await ask('GET', url, session)).told;
      if (id !== undefined) session = { 'entitygate-session': id };
    };
    await lock(true);
    const headers: Headers = isByClerk ? { 'api-key': clerkKey } : {};
    const { status, told, text } = await ask('POST', path, headers, body);
    await lock(false);
    const log = (has.audit ? await readFile(logFile, 'utf8') : '').slice(audited);
    audited += log.length;
    const options = isByClerk ? ['-H', `api-key: ${clerkKey}`, '-d', body] : ['-d', body];
    const words = [`http://127.0.0.1:${port}${path}`, ...options];
    const quoted = words.map((it) => `'${it.replaceAll("'", String.raw`'\''`)}'`);
    return {
      command: [`curl -g ${quoted.join(' ')}`],
      status: [String(status)],
      headers: Object.entries(told)
        .filter(([it]) => !PASSED_OVER.test(it))
        .map(String),
      answer: named(stringify(parse(text, inOrder)) ?? '').split(/,(?=\{"__STATUS")/),
      // The database deletes what lists leave out in an order of its own.
      audit: named(log).split('\n').sort(),
      row: await read(),
    };
  };

  await read();
  const stopAll = (): Promise<void> =>
    stop()
      .then(close, close)
      .finally(() => client.close());
  return { model, rows: () => rows, send, close: stopAll };
}
