import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { displayPath } from '../config/document/display-path.ts';
import { readText, unreadable } from '../config/document/text-file.ts';
import { readSnapshotText, type SchemaSnapshot } from '../schema/snapshot.ts';

/** How long a snapshot may be, in bytes: that of 2,000 tables with 100 columns each is an eighth of it. */
const MOST_BYTES = 256 * 1_048_576;

/**
 * Reads a snapshot of a schema from a file.
 * @throws StartupError when it cannot be read or is none
 */
export async function readSnapshotFile(path: string): Promise<SchemaSnapshot> {
  let text: string;
  try {
    text = await readText(path, MOST_BYTES);
  } catch (error) {
    throw new StartupError([{ where: displayPath(path), message: unreadable(error, 'file') }]);
  }
  return readSnapshotText(text, displayPath(path));
}

/** The snapshot that `init` leaves in a folder, or null where there is none. */
export async function snapshotIn(folder: string): Promise<SchemaSnapshot | null> {
  const path = join(folder, 'schema.json');
  return existsSync(path) ? readSnapshotFile(path) : null;
}

/** The snapshot beside a configuration file, or null where there is none. */
export function snapshotBeside(config: string): Promise<SchemaSnapshot | null> {
  return snapshotIn(dirname(config));
}
