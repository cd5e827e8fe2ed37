import { ProtocolError } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import type { WriteKind } from './violation.ts';
import { failed, type Element, type Step } from './outcome.ts';
import { consequence } from './write-errors.ts';

/** What a check by the model comes to, or the failure of the element where the model refuses it. */
export function orFailed<Ready>(
  element: Element,
  kind: WriteKind,
  dataclass: Dataclass,
  check: () => Ready,
): Step<Ready> {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    // A broken reference leads to the same, whether a foreign key of the database or the gateway finds it.
    return failed(
      element,
      error.errorName === 'brokenReference'
        ? error.leadingTo(consequence(kind, element.key, dataclass))
        : error,
    );
  }
}
