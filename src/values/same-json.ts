import {
  digitsOf,
  isJsonArray,
  isJsonObject,
  jsonText,
  parseJson,
  type JsonValue,
} from '../request/json.ts';
import { plainNumber } from './decimals.ts';

/** Longer texts of JSON are not compared value by value: it would take many times their memory. */
const COMPARED_JSON = 65_536;

/** Whether a value is what a text of JSON holds: order of members, blanks and zeros behind a number's last digit aside. */
export function isJsonOf(text: string, value: JsonValue): boolean {
  const given = jsonText(value);
  if (text === given) return true;
  if (text.length > COMPARED_JSON || given.length > COMPARED_JSON) return false;
  try {
    return isSameJson(parseJson(text), value);
  } catch {
    return false;
  }
}

function isSameJson(one: JsonValue, other: JsonValue): boolean {
  const digits = digitsOf(one);
  if (digits !== null) return isSameNumber(digits, digitsOf(other));
  if (isJsonArray(one)) {
    return (
      isJsonArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSameJson(item, other[index] ?? null))
    );
  }
  if (!isJsonObject(one)) return one === other;
  if (!isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const [mine, its] = [one[name], other[name]];
      return mine !== undefined && its !== undefined && isSameJson(mine, its);
    })
  );
}

/** Whether digits are of one number: clients that read `4.0` write `4`. */
export function isSameNumber(one: string, other: string | null): boolean {
  if (other === null || one === other) return one === other;
  const plain = plainNumber(one);
  return plain !== null && plain === plainNumber(other);
}
