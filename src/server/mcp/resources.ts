import type { McpSettings } from '../../config/settings/mcp.ts';
import { nameHint } from '../../base/names.ts';
import { excerpt } from '../../base/text.ts';
import type { Model } from '../../model/types.ts';
import { decodeEscapes } from '../../protocol/url/url.ts';
import { fitted } from './cut.ts';
import { RpcError } from './json-rpc.ts';
import { briefly } from './model-text.ts';
import { describedIn } from './tools/describe-model.ts';

const MODEL = 'entitygate://model';
const DATACLASS = 'entitygate://dataclass/';
const mimeType = 'application/json';

/** How many dataclasses are listed; the others are in the model, and read by the template. */
const MOST_LISTED = 200;

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${DATACLASS}{name}`,
    name: 'dataclass',
    title: 'A dataclass',
    description: 'The attributes, relations and functions of a dataclass.',
    mimeType,
  },
] as const;

/** Lists the model and its dataclasses, as the caller sees them. */
export function listResources({ dataclasses }: Model): object[] {
  return [
    { uri: MODEL, name: 'model', title: 'The dataclasses', mimeType },
    ...[...dataclasses.values()].slice(0, MOST_LISTED).map(({ name, description }) => ({
      uri: DATACLASS + encodeURIComponent(name),
      name,
      ...(description === null ? {} : { description }),
      mimeType,
    })),
  ];
}

/** Reads the description of the model, or of a dataclass. @throws RpcError for another URI, and a dataclass that the caller does not see */
export function readResource(
  uri: string,
  model: Model,
  { maxAnswerBytes: maxBytes, tools }: Pick<McpSettings, 'maxAnswerBytes' | 'tools'>,
): object {
  const name = uri.startsWith(DATACLASS) ? decodeEscapes(uri.slice(DATACLASS.length)) : null;
  if (uri !== MODEL && (name === null || !model.dataclasses.has(name))) {
    const hint = name === null ? '' : nameHint(name, model.dataclasses.keys());
    throw new RpcError('noSuchResource', `There is no resource ${excerpt(uri)}.${hint}`);
  }
  const described = uri === MODEL ? briefly(model) : describedIn(model, [name ?? ''], tools)[0];
  const { data, note } = fitted(JSON.stringify(described), { maxBytes, window: null });
  const text = note === null ? data : `{"note":${JSON.stringify(note)},"data":${data}}`;
  return { contents: [{ uri, mimeType, text }] };
}
