import { buffer } from 'node:stream/consumers';
import type { Upload, Uploads, UploadsElsewhere } from '../../state/upload/uploads.ts';
import type { Peers } from './peers.ts';

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
