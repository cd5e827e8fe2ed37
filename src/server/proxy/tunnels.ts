import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Between two signs of life that the operating system asks of whoever is silent, in milliseconds. */
const KEEP_ALIVE = 60_000;

/** One end of a web socket that is let through. */
export interface End {
  readonly socket: Duplex;
  /** What it has said already. */
  readonly head: Buffer;
}

/** Web sockets that are open: what one end says the other one hears, as fast as it takes it, until one of them has gone. */
export class Tunnels {
  readonly #open = new Set<() => void>();
  #isClosed = false;

  /** Joins two ends, for good. */
  join(client: End, application: End): void {
    const sockets = [client.socket, application.socket];
    const end = (): void => {
      this.#open.delete(end);
      for (const socket of sockets) endSoon(socket);
    };
    for (const socket of sockets) {
      socket.on('error', end);
      socket.once('end', end);
      socket.once('close', end);
      if (!(socket instanceof Socket)) continue;
      socket.setTimeout(0);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE);
    }
    if (this.#isClosed || sockets.some(({ destroyed }) => destroyed)) {
      end();
      return;
    }
    this.#open.add(end);
    forward(client, application.socket);
    forward(application, client.socket);
  }

  /** Ends all that are open, and any that is joined later: by itself none ends. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#open) end();
  }
}

function forward({ socket, head }: End, to: Duplex): void {
  if (head.length > 0) socket.unshift(head);
  socket.pipe(to, { end: false });
}

/** Ends a connection when what was written to it has been sent. */
function endSoon(socket: Duplex): void {
  if (socket.destroyed) return;
  if (socket instanceof Socket) socket.destroySoon();
  else socket.destroy();
}
