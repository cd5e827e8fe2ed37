import { atOnce, type TimeSlice } from '../../base/time-slice.ts';
import { JsonReader } from './json-reader.ts';
import type { BrokenJson, JsonObject, JsonValue } from './json-value.ts';
import { jsonWriting } from './json-writer.ts';

/** How many characters are read before others may have their turn. */
const PIECE = 100_000;

/** What is wrong with objects that name a member twice, where that matters. */
const repetitions = new WeakMap<JsonObject, BrokenJson>();

/** The first member that an object of a text names twice; undefined where there is none. */
export function repetitionIn(object: JsonObject): BrokenJson | undefined {
  return repetitions.get(object);
}

function readerOf(text: string, mostEntities?: number): JsonReader {
  return new JsonReader(
    text,
    (object, repetition) => {
      if (!repetitions.has(object)) repetitions.set(object, repetition);
    },
    mostEntities,
  );
}

/**
 * Reads JSON text. Of members of one name the last one counts, as in the engines' own JSON; {@link repetitionIn} tells of them.
 * @throws BrokenJson for anything else, also for nesting that is too deep to read
 */
export function parseJson(text: string): JsonValue {
  // A text that is not read to its end is refused.
  return readerOf(text).read(Infinity) ?? null;
}

/**
 * The same in slices, so that others have their turn while a long text is read.
 * @param mostEntities how many entities the text may hold; as many as it likes where it is left out
 * @throws as {@link parseJson}, TooManyEntities, and the reason of the signal
 */
export async function readJson(
  text: string,
  slice: TimeSlice,
  mostEntities?: number,
): Promise<JsonValue> {
  const reader = readerOf(text, mostEntities);
  for (;;) {
    const value = reader.read(PIECE);
    if (value !== undefined) return value;
    await slice.pause();
  }
}

/** JSON text without blanks; numbers as they were written. */
export function jsonText(value: JsonValue): string {
  return atOnce(jsonWriting(value));
}
