import type { JsonProperty } from '../ir/ir.ts';

/** How the value of a JSON property is taken out. */
export interface JsonLookup {
  /** The column as text. */
  readonly column: string;
  /** The name of each step, as a parameter. */
  readonly names: readonly string[];
  readonly value: string;
  /** What the last step has to be, besides there. */
  readonly condition: string;
}

/**
 * OPENJSON tells the JSON type of what it finds, which JSON_VALUE does not. Names come with the request, so they are
 * parameters, and each step of a path is an OPENJSON of its own: a whole path can be no parameter before SQL Server 2017.
 * Of a name that an object has twice the first is taken.
 * https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql
 */
export function jsonLookup({ column, names, value, condition }: JsonLookup): string {
  const last = names.length - 1;
  const alias = (step: number): string => (step === last ? 'j' : `j${step}`);
  const steps = names.map((_, step) =>
    step === 0
      ? `OPENJSON(CASE WHEN ISJSON(${column}) = 1 THEN ${column} END) ${alias(step)}`
      : ` CROSS APPLY OPENJSON(${inner(alias(step - 1))}) ${alias(step)}`,
  );
  const keys = names.map((name, step) => `${alias(step)}."key" = ${name}`);
  return `(SELECT TOP (1) ${value} FROM ${steps.join('')} WHERE ${keys.join(' AND ')}${condition})`;
}

/** The object or array that a step found, for the next one to look into. */
function inner(alias: string): string {
  return `CASE WHEN ${alias}.type IN (4, 5) THEN ${alias}.value END`;
}

/** A JSON number with all its digits; only one that is written with an exponent goes by way of a float. */
const NUMBER =
  "TRY_CONVERT(decimal(38, 10), CASE WHEN j.value LIKE '%[eE]%'" +
  ' THEN CONVERT(nvarchar(50), TRY_CONVERT(decimal(38, 10), TRY_CONVERT(float, j.value)))' +
  ' ELSE j.value END)';

/** The value of a property of the JSON type that it is compared as. */
export function typedProperty(
  as: Exclude<JsonProperty['as'], 'any'>,
): Pick<JsonLookup, 'value' | 'condition'> {
  switch (as) {
    case 'string':
      return { value: 'j.value', condition: ' AND j.type IN (1)' };
    case 'text':
      return { value: 'j.value', condition: ' AND j.type IN (1, 2, 3)' };
    case 'number':
      return { value: NUMBER, condition: ' AND j.type IN (2)' };
    case 'boolean':
      return { value: 'TRY_CONVERT(bit, j.value)', condition: ' AND j.type IN (3)' };
  }
}
