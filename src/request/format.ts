import { ProtocolError } from '../base/errors.ts';
import { notServed } from './keywords.ts';

/** Reads `$format`. @throws ProtocolError badFormat, and notServed for what the protocol has besides */
export function checkFormat(text: string): undefined {
  const at = { within: '$format', position: 1 };
  if (text === 'json') return undefined;
  if (text === 'dashboard') throw notServed('$format=dashboard', at);
  throw new ProtocolError(
    'badFormat',
    `There is no format "${text}"; expected json or dashboard.`,
    at,
  );
}
