import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { namedSession, type SessionNames } from '../../state/session/sessions.ts';
import {
  handingOver,
  handOverConnection,
  workerFinder,
  type FindWorker,
} from '../workers/hand-over.ts';
import type { Peers } from '../workers/peers.ts';
import { SMALL_BODY } from '../bodies/body-gate.ts';
import { originForm } from './admission.ts';

/** The processes that serve together with this one. */
export interface OtherWorkersSettings {
  readonly peers: Peers;
  /** By what a request names its session. */
  readonly sessionNames: SessionNames;
}

/** Has requests answered by the worker that has what is kept for their clients, wherever their connections lead. */
export class OtherWorkers {
  readonly #peers: Peers;
  readonly #find: FindWorker;
  #handle: RequestListener = () => undefined;

  /** @param isServed whether the API, or an application, is served at a URL in origin form: all else any worker answers alike */
  constructor({ peers, sessionNames }: OtherWorkersSettings, isServed: (url: string) => boolean) {
    this.#peers = peers;
    const find = workerFinder(peers, ({ headers }) => namedSession(headers, sessionNames));
    this.#find = (request) => (isServed(originForm(request.url ?? '/')) ? find(request) : null);
  }

  /** @param handle handles requests here, those that others hand over included */
  handing(handle: RequestListener): RequestListener {
    this.#handle = handle;
    return handingOver(this.#peers, this.#find, handle, SMALL_BODY);
  }

  /** Hands a connection over whose client asks to speak another protocol; what is for this worker, or for one that has ended, is handled here. */
  handConnection(
    upgrade: { request: IncomingMessage; socket: Duplex; head: Buffer },
    handleHere: () => void,
  ): void {
    const slot = this.#find(upgrade.request);
    if (slot === null) handleHere();
    else handOverConnection(this.#peers, slot, upgrade, handleHere);
  }

  /** Answers the others from when the server is ready on. */
  serve(server: FastifyInstance): void {
    server.addHook('onReady', () =>
      this.#peers.serve({
        handle: this.#handle,
        upgrade: (request, socket, head) => server.server.emit('upgrade', request, socket, head),
      }),
    );
  }
}
