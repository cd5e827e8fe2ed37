import { ProtocolError } from '../../base/errors.ts';
import type { ChangesRequest, ParsedRequest } from '../ast.ts';
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
      ...reader.page(),
    },
    since:
      reader.text('since') === undefined
        ? null
        : reader.value('since', (text, name) => parameterLiteral(name, text.trim()), ''),
  });
}
