import type { TimeSlice } from '../../base/time-slice.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../protocol/body/json-value.ts';
import type { Uploads } from '../../state/upload/uploads.ts';

/** The ID of an upload. */
const UPLOAD_ID = /^[0-9A-F]{32}$/;

/**
 * Fetches the uploads that a body refers to, `{"photo": {"ID": …}}`, from the processes that have them, where there are several.
 * @param values those that the body holds
 * @param owner the name of whoever sends the body
 */
export async function fetchUploads(
  values: Iterable<JsonValue>,
  uploads: Uploads,
  owner: string | null,
  slice: TimeSlice,
): Promise<void> {
  const left: JsonValue[] = [...values];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (isJsonArray(value)) {
      for (const item of value) left.push(item);
    } else if (isJsonObject(value)) {
      const id = value['ID'];
      if (typeof id === 'string' && UPLOAD_ID.test(id)) await uploads.fetch(id, owner);
      for (const inner of Object.values(value)) left.push(inner);
    }
    if (slice.isOver()) await slice.pause();
  }
}
