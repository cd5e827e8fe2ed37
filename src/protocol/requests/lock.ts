import { ProtocolError } from '../../base/errors.ts';
import type { Literal, LockAction, LockRequest, ParsedRequest } from '../ast.ts';
import { badValue } from '../url/url.ts';
import { type DataclassUrl, parameterLiteral, ParameterReader } from '../url/parameter-reader.ts';

/** Parses the URL of a request about the lock of an entity (§4.12), with the stamp of the client's copy (DECISIONS, "Locks"). */
export function parseLock(url: DataclassUrl): ParsedRequest<LockRequest> {
  const reader = new ParameterReader(url, 'a lock', ['lock']);
  const { name, selector, segments } = url.target;
  const isOne = selector.kind === 'key' || selector.kind === 'unique';
  if (!isOne || segments.length > 0) {
    const message = `$lock is for one entity: expected /rest/${name}(key)?$lock=true.`;
    throw new ProtocolError('notApplicable', message);
  }
  return reader.parsed({
    kind: 'lock',
    dataclass: name,
    selector,
    action: lockAction(reader.text('$lock') ?? ''),
    stamp: reader.text('__STAMP') === undefined ? null : reader.value('__STAMP', stampLiteral, ''),
  });
}

function lockAction(text: string): LockAction {
  const action = ACTIONS.get(text.toLowerCase());
  if (action === undefined) throw badValue('badUrl', '$lock', text, 'true, false or status');
  return action;
}

const ACTIONS: ReadonlyMap<string, LockAction> = new Map([
  ['true', 'lock'],
  ['false', 'unlock'],
  ['status', 'status'],
]);

function stampLiteral(text: string): Literal {
  const value = text.trim();
  if (/^\d{1,16}$/.test(value)) return parameterLiteral('__STAMP', value, 'number');
  throw badValue('badNumber', '__STAMP', value, 'the stamp that the entity was read with');
}
