import {
  digitsOf,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  parseJson,
} from '../../protocol/body/json.ts';
import { jsonText } from '../../protocol/body/json-writer.ts';
import { plainNumber } from './numbers.ts';

/** The longest text of JSON that is compared value by value: that takes many times its memory. */
export const COMPARED_JSON = 65_536;

/** Whether a JSON text holds a value, ignoring blanks, the order of members and trailing zeros. `written` is its {@link jsonText}, where known. */
export function isJsonOf(text: string, value: JsonValue, written?: string): boolean {
  if (written === undefined && isLongerThan(text.length, value)) return false;
  if (text === (written ?? jsonText(value))) return true;
  if (text.length > COMPARED_JSON) return false;
  try {
    return isSameJson(parseJson(text), value);
  } catch {
    return false;
  }
}

/** Whether a value is longer than some characters however it is written as JSON; only as much of it is looked at. */
function isLongerThan(most: number, whole: JsonValue): boolean {
  const open: JsonValue[] = [whole];
  let least = 0;
  for (let value = open.pop(); value !== undefined && least <= most; value = open.pop()) {
    least += 1;
    if (typeof value === 'string') least += value.length;
    else if (isJsonArray(value)) {
      if (value.length > most) return true;
      for (const item of value) open.push(item);
    } else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        least += name.length;
        open.push(member);
      }
    }
  }
  return least > most;
}

type Pair = readonly [JsonValue, JsonValue];

/** Compares level by level, not recursively: deep values would overflow the stack. */
function isSameJson(one: JsonValue, other: JsonValue): boolean {
  let level: readonly Pair[] = [[one, other]];
  while (level.length > 0) {
    const next: Pair[] = [];
    for (const pair of level) {
      const inside = pairsInside(...pair);
      if (inside === null) return false;
      for (const item of inside) next.push(item);
    }
    level = next;
  }
  return true;
}

/** The pairs within two values that have to be equal; null where the values differ. */
function pairsInside(one: JsonValue, other: JsonValue): readonly Pair[] | null {
  const digits = digitsOf(one);
  if (digits !== null) return isSameNumber(digits, digitsOf(other)) ? [] : null;
  if (isJsonArray(one)) {
    if (!isJsonArray(other) || one.length !== other.length) return null;
    return one.map((item, index): Pair => [item, other[index] ?? null]);
  }
  if (!isJsonObject(one)) return one === other ? [] : null;
  if (!isJsonObject(other)) return null;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return null;
  const pairs = names.map((name): readonly [JsonValue | undefined, JsonValue | undefined] => [
    one[name],
    other[name],
  ]);
  return pairs.every((pair): pair is Pair => pair[1] !== undefined) ? pairs : null;
}

/** Whether two texts are the same number: clients that read `4.0` write `4`. */
export function isSameNumber(one: string, other: string | null): boolean {
  if (other === null || one === other) return one === other;
  const plain = plainNumber(one);
  return plain !== null && plain === plainNumber(other);
}
