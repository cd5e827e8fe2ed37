/** A value that a filter compares with. Decimals may be their digits as text. */
export type FilterValue = string | number | bigint | boolean | Date | null;

/** A value, or a list for `IN`. */
export type FilterParameter = FilterValue | readonly FilterValue[];

/** A condition and its values, which travel beside it as `$params`. */
export class Filter {
  /** The expression, split where its values stand. */
  readonly texts: readonly string[];
  readonly values: readonly FilterParameter[];

  constructor(texts: readonly string[], values: readonly FilterParameter[]) {
    this.texts = texts;
    this.values = values;
  }

  /** The expression with the placeholders `:1`, `:2` and so on. */
  toString(): string {
    return this.texts.map((text, index) => (index === 0 ? text : `:${index}${text}`)).join('');
  }
}

/**
 * Makes a filter of a template, whose values never become part of the expression: `` filter`lastName begin ${name} AND grade > ${5}` ``. A list goes
 * with IN: `` filter`ID IN ${[1, 2]}` ``. A filter within a filter stands in parentheses: `` filter`${one} OR ${other}` ``.
 * @throws TypeError for a value that is undefined
 */
export function filter(
  texts: TemplateStringsArray,
  ...values: readonly (FilterParameter | Filter)[]
): Filter {
  const parts = [texts[0] ?? ''];
  const parameters: FilterParameter[] = [];
  const append = (text: string): void => {
    parts.push((parts.pop() ?? '') + text);
  };
  for (const [index, value] of values.entries()) {
    // Code without types may pass it, and JSON has no form for it.
    if ((value as unknown) === undefined) {
      throw new TypeError(`The value behind "${texts[index] ?? ''}" of a filter is undefined.`);
    }
    if (value instanceof Filter) {
      const [first = '', ...others] = value.texts;
      append(`(${first}`);
      parts.push(...others);
      append(')');
      parameters.push(...value.values);
    } else {
      parts.push('');
      parameters.push(value);
    }
    append(texts[index + 1] ?? '');
  }
  return new Filter(parts, parameters);
}
