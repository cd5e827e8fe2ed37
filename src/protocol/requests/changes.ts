import { ProtocolError } from '../../base/errors.ts';
import type { ChangesRequest, ChangesStreamRequest, ParsedRequest } from '../ast.ts';
import type { KeywordPath } from '../url/path.ts';
import { badValue, collectParameters } from '../url/url.ts';
import { type DataclassUrl, parameterLiteral, ParameterReader } from '../url/parameter-reader.ts';

/** Parses the URL of a read of changes, `/rest/Employee/$changes?since=…`. @throws ProtocolError verbNotAllowed, notApplicable */
export function parseChanges(url: DataclassUrl): ParsedRequest<ChangesRequest> {
  const { target, verb } = url;
  if (verb !== 'GET' && verb !== 'HEAD') {
    const message = `${verb} does not apply to /rest/${target.name}/$changes: it is read by GET.`;
    throw new ProtocolError('verbNotAllowed', message);
  }
  const reader = new ParameterReader(url, '$changes', ['changes']);
  const filter = reader.filter();
  const { attributes, expand } = reader.lists();
  return reader.parsed({
    kind: 'changes',
    read: {
      kind: 'read',
      dataclass: target.name,
      selector: target.selector,
      segments: [],
      filter,
      orderBy: [],
      attributes,
      expand,
      asArray: false,
      count: false,
      ...reader.page(),
    },
    since:
      reader.text('since') === undefined
        ? null
        : reader.value('since', (text, name) => parameterLiteral(name, text.trim()), ''),
  });
}

/** The most dataclasses of one stream: their tokens are in a header. */
const MOST_DATACLASSES = 32;

/** Parses the URL of a stream of changes, `/rest/$changes/stream?dataclasses=Employee,Company`. @throws ProtocolError badUrl, verbNotAllowed, notApplicable */
export function parseChangesStream(
  { what, more, at }: KeywordPath,
  { verb, parameters, values }: Omit<DataclassUrl, 'target'>,
): ParsedRequest<ChangesStreamRequest> {
  if (what !== 'stream' || more !== '') {
    const expected = 'Expected /rest/$changes/stream?dataclasses=… or /rest/Dataclass/$changes';
    throw new ProtocolError('badUrl', expected, at);
  }
  if (verb !== 'GET') {
    const message = `${verb} does not apply to $changes/stream: it is read by GET.`;
    throw new ProtocolError('verbNotAllowed', message, at);
  }
  const given = collectParameters(parameters, '$changes/stream', ['changesStream']);
  const text = given.get('dataclasses')?.text ?? '';
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  if (names.includes('') || names.length > MOST_DATACLASSES) {
    const expected = `1 to ${MOST_DATACLASSES} names of dataclasses, with a comma between two`;
    throw badValue('badUrl', 'dataclasses', text, expected);
  }
  const since = given.get('since')?.text;
  return {
    ast: {
      kind: 'changesStream',
      dataclasses: names,
      since: since === undefined ? null : values.add(parameterLiteral('since', since.trim())),
    },
    shape: `$changes/stream ${names.join()}`,
    values: values.items,
  };
}
