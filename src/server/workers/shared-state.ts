import { buffer } from 'node:stream/consumers';
import { listBytes, listOfBytes } from '../../state/entity-set/list-bytes.ts';
import type { MemoryEntitySets } from '../../state/entity-set/memory-entity-sets.ts';
import type { EntitySet, EntitySetStore } from '../../state/entity-set/store.ts';
import type { Upload, Uploads, UploadsElsewhere } from '../../state/upload/uploads.ts';
import type { Peers } from './peers.ts';

/**
 * Makes a store of entity sets that also finds those of the other workers, by their ids. Requests for a set go to its worker where possible
 * (`hand-over.ts`), so that keys are sent only where the client's session, or a set that it is combined with, is in another worker.
 */
export function sharedSets(own: MemoryEntitySets, peers: Peers): EntitySetStore {
  peers.answer('set', async ({ id, audience }) => {
    const set = await own.find(id ?? '', audience ?? '');
    if (set === null) return null;
    const { keys, ...head } = set;
    return { head, body: listBytes(keys) };
  });
  peers.answer('release', async ({ id, audience }) =>
    (await own.release(id ?? '', audience ?? '')) ? { head: {}, body: [] } : null,
  );
  return {
    find: async (id, audience) =>
      (await own.find(id, audience)) ??
      peers.ask('set', id, { audience }, async (head, body) => ({
        ...(head as Omit<EntitySet, 'keys'>),
        keys: await listOfBytes(body),
      })),
    release: async (id, audience) => {
      const isOwn = await own.release(id, audience);
      const other = await peers.ask('release', id, { audience }, () => Promise.resolve(true));
      return isOwn || other === true;
    },
    add: (set) => own.add(set),
    gaveOut: (id, dataclass) => own.gaveOut(id, dataclass),
    restore: (id, set) => own.restore(id, set),
    list: () => own.list(),
    disown: (owner) => own.disown(owner),
    usage: () => own.usage(),
    workspace: () => own.workspace(),
  };
}

/** Finds the uploads of the other workers: a save may arrive at another worker than the upload that it refers to. */
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

/** Answers the other workers' questions for uploads that are kept here. */
export function shareUploads(uploads: Uploads, peers: Peers): void {
  peers.answer('upload', ({ id, owner = null }) => {
    const upload = uploads.kept(id ?? '', owner);
    if (upload === null) return Promise.resolve(null);
    const { bytes, remaining } = upload;
    return Promise.resolve({ head: { remaining }, body: [bytes] });
  });
}
