import { buffer } from 'node:stream/consumers';
import { listBytes, listOfBytes } from '../../state/entity-set/list-bytes.ts';
import type {
  EntitySet,
  EntitySetStore,
  ListedSet,
  StoreUsage,
  Workspace,
} from '../../state/entity-set/store.ts';
import type { Peers, Reply } from './peers.ts';
import type { Upload, Uploads, UploadsElsewhere } from '../../state/upload/uploads.ts';

/** What is told of a set before its keys. */
type SetHead = Omit<EntitySet, 'keys'>;

/**
 * The entity sets of a process that serves together with others: its own are in its memory; one that another one has, as its id tells, is asked
 * for there, and lives on by it. Requests for sets go to the process that has them where nothing stands against it (`hand-over.ts`), so that keys go
 * from one to the other only where a client's session is in one process, and the set, or the second one that it is combined with, in another.
 */
export class SharedSets implements EntitySetStore {
  readonly #own: EntitySetStore;
  readonly #peers: Peers;

  constructor(own: EntitySetStore, peers: Peers) {
    this.#own = own;
    this.#peers = peers;
    peers.answer('set', async ({ id, audience }): Promise<Reply | null> => {
      const set = await own.find(id ?? '', audience ?? '');
      if (set === null) return null;
      const { keys, ...head } = set;
      return { head, body: listBytes(keys) };
    });
    peers.answer('release', async ({ id, audience }): Promise<Reply | null> =>
      (await own.release(id ?? '', audience ?? '')) ? { head: {}, body: [] } : null,
    );
  }

  async find(id: string, audience: string): Promise<EntitySet | null> {
    const own = await this.#own.find(id, audience);
    if (own !== null) return own;
    return this.#peers.ask('set', id, { audience }, async (head, body) => ({
      ...(head as SetHead),
      keys: await listOfBytes(body),
    }));
  }

  async release(id: string, audience: string): Promise<boolean> {
    const own = await this.#own.release(id, audience);
    const others = await this.#peers.ask('release', id, { audience }, () => Promise.resolve(true));
    return own || others === true;
  }

  add(set: EntitySet): Promise<string> {
    return this.#own.add(set);
  }

  gaveOut(id: string, dataclass: string): boolean {
    return this.#own.gaveOut(id, dataclass);
  }

  restore(id: string, set: EntitySet): Promise<void> {
    return this.#own.restore(id, set);
  }

  giveUp(owner: string): void {
    this.#own.giveUp(owner);
  }

  list(): Iterable<ListedSet> {
    return this.#own.list();
  }

  usage(): StoreUsage {
    return this.#own.usage();
  }

  workspace(): Workspace {
    return this.#own.workspace();
  }
}

/** The uploads that the other workers keep: one is made in one of them, and the save that refers to it may come to another. */
export function uploadsElsewhere(peers: Peers): UploadsElsewhere {
  return {
    newId: peers.newId,
    find: (id, owner) =>
      peers.ask('upload', id, { owner }, async (head, body): Promise<Upload> => ({
        ...(head as Pick<Upload, 'remaining'>),
        bytes: await buffer(body),
      })),
  };
}

/** Answers the other workers of the uploads that are kept here. */
export function shareUploads(uploads: Uploads, peers: Peers): void {
  peers.answer('upload', ({ id, owner = null }) => {
    const upload = uploads.kept(id ?? '', owner);
    if (upload === null) return Promise.resolve(null);
    const { bytes, remaining } = upload;
    return Promise.resolve({ head: { remaining }, body: [bytes] });
  });
}
