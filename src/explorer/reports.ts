import { signal } from '@preact/signals';
import { isObject, objectsIn, plainText, type Json, type JsonObject } from './rest/json.ts';
import { rest } from './rest/client.ts';

/** A report that the gateway lists. */
export interface SavedReport {
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  readonly dataclass: string;
  /** The query of its fragment: what it groups, and how. */
  readonly query: Readonly<Record<string, string>>;
}

/** The reports that the user may see. */
export const reports = signal<readonly SavedReport[]>([]);

/** Reads the reports. Without an answer there are none: all else is there. */
export async function loadReports(): Promise<void> {
  reports.value = await rest.request('/rest/$reports').then(readReports, () => []);
}

/** Reads the answer to `/rest/$reports`. */
export function readReports(answer: Json): readonly SavedReport[] {
  return objectsIn(isObject(answer) ? answer['reports'] : undefined).map(readReport);
}

const QUERY = ['groupby', 'aggregate', 'having', 'filter', 'orderby', 'top', 'chart'] as const;

function readReport(object: JsonObject): SavedReport {
  const { name, title, description, dataclass } = object;
  const query = QUERY.map((member) => [member, plainText(object[member])] as const);
  return {
    name: plainText(name),
    title: plainText(title) || plainText(name),
    description: plainText(description) || null,
    dataclass: plainText(dataclass),
    query: Object.fromEntries(query.filter(([, value]) => value !== '')),
  };
}
