import { type JsonObject as Schema, objectOf } from '../../../contract/json-schema.ts';
import type { JsonValue } from '../../../protocol/body/json-value.ts';
import type { Window } from '../cut.ts';
import type { RestCall } from '../rest-call.ts';

/** The arguments of a call, by their names. */
export type Arguments = Readonly<Record<string, JsonValue | undefined>>;

/** What clients may think of a tool before they call it. */
interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** A tool that agents may call. All of its texts are the gateway's own, or of the mapping files: none is of a row. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, Schema>>;
  /** The names of the arguments that a call has to give. */
  readonly required: readonly string[];
  readonly annotations: ToolAnnotations;
  /** Makes the request that a call is, or the text of an answer that needs none. @throws ProtocolError */
  readonly call: (
    given: Arguments,
  ) => RestCall | { readonly text: string; readonly window: Window };
}

/** Of tools that change nothing. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** Of tools that change data. */
export const CHANGES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};

/** The JSON Schema of a tool's arguments. */
export function inputSchema({
  parameters,
  required,
}: Pick<Tool, 'parameters' | 'required'>): Schema {
  const optional = Object.keys(parameters).filter((name) => !required.includes(name));
  return objectOf(parameters, optional);
}
