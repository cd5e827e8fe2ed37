import { ProtocolError } from '../../base/errors.ts';
import type { Literal, LockRequest, ParsedRequest } from '../ast.ts';
import { collectParameters, flag, type Keyword } from '../url/keywords.ts';
import type { ValueList } from '../url/literals.ts';
import type { DataclassPath } from '../url/path.ts';
import type { RawParameter } from '../url/url.ts';

const LOCK_KEYWORDS: ReadonlySet<Keyword> = new Set(['$lock', '__STAMP']);

/** Whether a GET asks for a lock, or gives one up. */
export function isLock(parameters: readonly RawParameter[]): boolean {
  return parameters.some(({ name }) => name === '$lock');
}

/**
 * Reads the URL of a request that locks or unlocks an entity (§4.12), and the stamp that the client has read it with (DECISIONS, "Locks").
 * @throws ProtocolError with the position in the text where reading failed, or notApplicable for what is not a single entity
 */
export function parseLock(
  { name, selector, segments, shape }: DataclassPath,
  parameters: readonly RawParameter[],
  values: ValueList,
): ParsedRequest<LockRequest> {
  const given = collectParameters(parameters, 'a lock', LOCK_KEYWORDS);
  const isOne = selector.kind === 'key' || selector.kind === 'unique';
  if (!isOne || segments.length > 0) {
    throw new ProtocolError(
      'notApplicable',
      `$lock is for one entity: expected /rest/${name}(key)?$lock=true.`,
    );
  }
  const stamp = given.get('__STAMP')?.text;
  return {
    ast: {
      kind: 'lock',
      dataclass: name,
      selector,
      wanted: flag('$lock', given.get('$lock')?.text ?? ''),
      stamp: stamp === undefined ? null : values.add(stampLiteral(stamp)),
    },
    shape,
    values: values.items,
  };
}

function stampLiteral(text: string): Literal {
  const value = text.trim();
  const at = { within: '__STAMP', position: 1 };
  if (/^\d{1,16}$/.test(value)) return { value, class: 'number', ...at };
  throw new ProtocolError(
    'badNumber',
    `The value of __STAMP is "${value}"; expected the stamp that the entity was read with.`,
    at,
  );
}
