import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Config, PostgresConfig, SqlServerConfig } from '../../src/config/config.ts';
import { freePort } from '../targets/free-port.ts';

/** Where a connection to the database is cut. */
export type Cut =
  /** At once, both ways. */
  | 'now'
  /** The same by a reset, as of a program that has crashed. */
  | 'reset'
  /** What the gateway sends is lost, and soon the connection. */
  | 'requests'
  /** What the database answers is lost, and soon the connection. */
  | 'answers'
  /** The next commit does not reach the database. */
  | 'before the commit'
  /** The next commit reaches the database, and its answer is lost. */
  | 'after the commit';

/** A connection from the gateway to the database, by way of the proxy. */
interface Pair {
  readonly gateway: Socket;
  readonly database: Socket;
  losesRequests: boolean;
  losesAnswers: boolean;
}

/** A TCP proxy in front of a database, which breaks connections on demand. */
export interface CuttingProxy {
  readonly port: number;
  /** The settings of the database, by way of the proxy. */
  readonly settings: PostgresConfig | SqlServerConfig;
  /** Cuts; the two kinds that wait for a commit do so with the first one that comes. */
  readonly cut: (where: Cut) => void;
  /**
   * Lets nothing pass any more, on old connections and new ones, and closes none: at once, or from the first request on
   * that holds a text.
   */
  readonly fallSilent: (from?: string) => void;
  /** Lets nothing pass until {@link thaw}, and loses nothing: as a network does that is gone for a while. Who connects is taken, and hears nothing. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Has each piece of what is sent arrive that much later, in milliseconds; at once with 0. */
  readonly slow: (delay: number) => void;
  /** Resets all connections, and new ones as soon as they are made, until it is there again. */
  readonly away: (isAway: boolean) => void;
  readonly close: () => Promise<void>;
}

/** How long a connection that loses what is sent stays open, in milliseconds. */
const HALF_OPEN = 15;

/** Starts a proxy to the server of a database. @param own the port to listen on, such as that of a proxy that was closed; a free one by default */
export async function cuttingProxy(
  direct: Config['database'],
  own?: number,
): Promise<CuttingProxy> {
  if (direct.engine === 'pglite') throw new Error('the embedded database has no server');
  const url = new URL(direct.url ?? '');
  const [host, port] = [url.hostname, Number(url.port)];
  const pairs = new Set<Pair>();
  let waiting: 'before the commit' | 'after the commit' | null = null;
  let isSilent = false;
  let isFrozen = false;
  let isAway = false;
  let delay = 0;
  let lastWords: string | null = null;
  const breakPair = (pair: Pair, by: 'destroy' | 'resetAndDestroy' = 'destroy'): void => {
    pairs.delete(pair);
    pair.gateway[by]();
    pair.database[by]();
  };
  const pass = (chunk: Buffer, from: Socket, to: Socket): void => {
    if (delay === 0) {
      to.write(chunk);
      return;
    }
    from.pause();
    setTimeout(() => {
      to.write(chunk);
      from.resume();
    }, delay);
  };
  const breakSoon = (pair: Pair): void => {
    setTimeout(() => {
      breakPair(pair);
    }, HALF_OPEN);
  };
  const onRequest = (pair: Pair, chunk: Buffer): void => {
    if (lastWords !== null && chunk.includes(lastWords)) isSilent = true;
    if (isSilent) return;
    if (waiting !== null && isCommit(chunk)) {
      if (waiting === 'before the commit') pair.losesRequests = true;
      pair.losesAnswers = true;
      waiting = null;
      breakSoon(pair);
    }
    if (!pair.losesRequests) pass(chunk, pair.gateway, pair.database);
  };
  const server = createServer((gateway) => {
    if (isAway) {
      gateway.on('error', () => undefined);
      gateway.resetAndDestroy();
      return;
    }
    const database = connect(port, host);
    const pair: Pair = { gateway, database, losesRequests: false, losesAnswers: false };
    pairs.add(pair);
    for (const socket of [gateway, database]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        breakPair(pair);
      });
    }
    gateway.on('data', (chunk: Buffer) => {
      onRequest(pair, chunk);
    });
    database.on('data', (chunk: Buffer) => {
      if (!pair.losesAnswers && !isSilent) pass(chunk, database, gateway);
    });
    if (isFrozen) pause(pair);
  });
  await once(server.listen(own ?? (await freePort()), '127.0.0.1'), 'listening');
  const address = server.address() as AddressInfo;
  url.host = `127.0.0.1:${address.port}`;
  return {
    port: address.port,
    settings: { ...direct, url: url.href },
    cut: (where) => {
      if (where === 'before the commit' || where === 'after the commit') {
        waiting = where;
        return;
      }
      for (const pair of [...pairs]) {
        if (where === 'requests') pair.losesRequests = true;
        if (where === 'answers') pair.losesAnswers = true;
        if (where === 'now') breakPair(pair);
        else if (where === 'reset') breakPair(pair, 'resetAndDestroy');
        else breakSoon(pair);
      }
    },
    fallSilent: (from) => {
      if (from === undefined) isSilent = true;
      else lastWords = from;
    },
    freeze: () => {
      isFrozen = true;
      for (const pair of pairs) pause(pair);
    },
    thaw: () => {
      isFrozen = false;
      for (const { gateway, database } of pairs) {
        gateway.resume();
        database.resume();
      }
    },
    slow: (milliseconds) => {
      delay = milliseconds;
    },
    away: (isGone) => {
      isAway = isGone;
      if (isGone) for (const pair of [...pairs]) breakPair(pair, 'resetAndDestroy');
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const pair of [...pairs]) breakPair(pair);
      }),
  };
}

function pause({ gateway, database }: Pair): void {
  gateway.pause();
  database.pause();
}

const TDS_TRANSACTION = 0x0e;
const TDS_COMMIT = 7;

/**
 * Whether a packet is a commit, in the protocol of PostgreSQL or in TDS
 * (https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/4b1a8f3a-0f75-4f77-95a8-b3ff7fbe7a7c).
 */
function isCommit(chunk: Buffer): boolean {
  if (chunk[0] === TDS_TRANSACTION && chunk.length > 12) {
    const at = 8 + chunk.readUInt32LE(8);
    return chunk.length >= at + 2 && chunk.readUInt16LE(at) === TDS_COMMIT;
  }
  return chunk[0] === 0x51 && chunk.includes('COMMIT');
}
