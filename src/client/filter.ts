/** A value that a filter compares with. Decimals may be their digits as text. */
export type FilterValue = string | number | bigint | boolean | Date | null;

/** A value, or a list for `IN`. */
export type FilterParameter = FilterValue | readonly FilterValue[];

/** A condition, and its values, which travel beside it as `$params`. */
export class Filter {
  readonly #texts: readonly string[];
  readonly #values: readonly (FilterParameter | Filter)[];

  constructor(texts: readonly string[], values: readonly (FilterParameter | Filter)[]) {
    this.#texts = texts;
    this.#values = values;
  }

  /** Writes the condition with the placeholders `:1`, `:2` and so on, and appends their values to a list. */
  write(parameters: FilterParameter[]): string {
    return this.#texts.reduce((written, text, index) => {
      const value = this.#values[index - 1] ?? null;
      const operand =
        value instanceof Filter ? `(${value.write(parameters)})` : `:${parameters.push(value)}`;
      return written + operand + text;
    });
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
  const missing = values.findIndex((value) => (value as unknown) === undefined);
  if (missing < 0) return new Filter(texts, values);
  throw new TypeError(`The value behind "${texts[missing] ?? ''}" of a filter is undefined.`);
}
