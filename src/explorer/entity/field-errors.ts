import type { ErrorItem } from '../rest/rest-error.ts';

/** The messages of a refused save: those that name an attribute by its name, and those of the whole entity. */
export interface SortedErrors {
  readonly byField: ReadonlyMap<string, string>;
  readonly others: readonly string[];
}

/** Sorts the messages of a refused save. @param names the attributes and relations that messages may name @param fieldOf the field that shows one of them */
export function sortErrors(
  items: readonly Pick<ErrorItem, 'message'>[],
  dataclass: string,
  names: readonly string[],
  fieldOf: (name: string) => string = (name) => name,
): SortedErrors {
  const byField = new Map<string, string>();
  const others: string[] = [];
  for (const { message } of items) {
    const named = names.filter((name) => isNamed(message, `${dataclass}.${name}`));
    for (const name of named) byField.set(fieldOf(name), message);
    if (named.length === 0) others.push(message);
  }
  return { byField, others };
}

/** Whether a message has a name as a whole word: `Employee.grade` is not in `Employee.gradeOld`. */
function isNamed(message: string, name: string): boolean {
  for (let at = message.indexOf(name); at >= 0; at = message.indexOf(name, at + 1)) {
    const around = `${message[at - 1] ?? ' '}${message[at + name.length] ?? ' '}`;
    if (!/[\p{L}\p{N}_]/u.test(around)) return true;
  }
  return false;
}
