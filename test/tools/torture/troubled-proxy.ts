import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What is wrong between the gateway and its database. */
export type Trouble =
  /** Nothing. */
  | 'none'
  /** Connections stay open, and no byte goes either way; new ones are taken, and as silent. */
  | 'frozen'
  /** All connections are reset at once, and new ones work. */
  | 'cut'
  /** All connections are reset, and new ones as soon as they are made. */
  | 'away'
  /** Each piece of what is sent arrives late. */
  | 'slow';

/** A TCP proxy in front of a database that gets into trouble, and out of it. */
export interface TroubledProxy {
  readonly port: number;
  readonly get: (trouble: Trouble) => void;
  readonly close: () => Promise<void>;
}

/** How late it is when it is slow, in milliseconds. */
const DELAY = 150;

interface Pair {
  readonly ends: readonly [gateway: Socket, database: Socket];
  /** Of a connection that was frozen nobody knows what was lost: it never works again, as behind a failover. */
  isDead: boolean;
}

/** Starts a proxy to a server. */
export async function troubledProxy(host: string, port: number): Promise<TroubledProxy> {
  const pairs = new Set<Pair>();
  let trouble: Trouble = 'none';
  const reset = (pair: Pair): void => {
    pairs.delete(pair);
    for (const end of pair.ends) end.resetAndDestroy();
  };
  const pass = (pair: Pair, from: Socket, to: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      if (trouble === 'frozen') pair.isDead = true;
      if (pair.isDead) return;
      if (trouble !== 'slow') {
        to.write(chunk);
        return;
      }
      from.pause();
      setTimeout(() => {
        to.write(chunk);
        from.resume();
      }, DELAY);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      pairs.delete(pair);
      // A server that is frozen hears of nothing, and keeps what its connections have locked.
      if (trouble !== 'frozen' || from === pair.ends[1]) for (const end of pair.ends) end.destroy();
      else lost.push(to);
    });
  };
  /** The server's ends of connections that the gateway has given up meanwhile. */
  const lost: Socket[] = [];
  const server = createServer((gateway) => {
    if (trouble === 'away') {
      gateway.on('error', () => undefined);
      gateway.resetAndDestroy();
      return;
    }
    const database = connect(port, host);
    const pair: Pair = { ends: [gateway, database], isDead: trouble === 'frozen' };
    pairs.add(pair);
    pass(pair, gateway, database);
    pass(pair, database, gateway);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get: (what) => {
      trouble = what;
      if (what === 'cut' || what === 'away') for (const pair of [...pairs]) reset(pair);
      if (what !== 'frozen') for (const socket of lost.splice(0)) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const pair of [...pairs]) reset(pair);
        for (const socket of lost.splice(0)) socket.destroy();
      }),
  };
}
