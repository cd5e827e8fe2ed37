import { ProtocolError } from '../base/errors.ts';
import type { LockOutcome } from '../run/write/lock.ts';
import type { Dataclass } from '../model/types.ts';
import { entityName } from '../run/body/entity-key.ts';
import type { KeyTexts } from '../run/convert/types.ts';
import { jsonAnswer, type Answer } from './answer.ts';

/** The statuses of refused requests (§7). */
const statuses = {
  stampChanged: [2, 'Stamp has changed'],
  held: [3, 'Already locked'],
  other: [4, 'Other error'],
  gone: [5, 'Entity does not exist'],
} as const;

/** The kinds of locks (§2.5): of a session of this gateway, and of others in the database. */
const kinds = {
  session: { lockKind: 7, lockKindText: 'Locked by session' },
  record: { lockKind: 1, lockKindText: 'Locked by record' },
} as const;

/** The answer to a request about the lock of an entity (§4.12). */
export function lockAnswer(outcome: LockOutcome, dataclass: Dataclass): Answer {
  switch (outcome.kind) {
    case 'done':
      return jsonAnswer(JSON.stringify({ result: true, __STATUS: { success: true } }));
    case 'available': {
      const { state } = outcome;
      const status = { success: true, own: state === 'own', lost: state === 'lost' };
      return jsonAnswer(JSON.stringify({ result: true, __STATUS: status }));
    }
    case 'stampChanged':
    case 'gone':
      return jsonAnswer(JSON.stringify(refusal(outcome.kind)));
    case 'held':
      return jsonAnswer(JSON.stringify(refusal('held', lockInfo(outcome))));
    case 'givenUp':
      return lockFailure(
        new ProtocolError(
          'entityLocked',
          `The session has given up its lock on ${entityName(dataclass, outcome.key)}, but the gateway that keeps it does not answer: the entity stays locked until that gateway goes on or ends.`,
        ),
      );
    case 'lost':
      return lockFailure(
        new ProtocolError(
          'lockLost',
          `The lock on ${entityName(dataclass, outcome.key)} was lost with the gateway's connection to the database: others may have changed the entity since.`,
        ),
      );
  }
}

/** The answer where the database failed (status 4). */
export function lockFailure(error: ProtocolError): Answer {
  const body = { ...refusal('other'), __ERROR: error.toItems() };
  return jsonAnswer(JSON.stringify(body), error.status);
}

function refusal(kind: keyof typeof statuses, more: object = {}): object {
  const [status, statusText] = statuses[kind];
  return { result: false, __STATUS: { success: false, status, statusText, ...more } };
}

/** The holder of the lock, as far as it is known. */
function lockInfo({ holder, key }: Extract<LockOutcome, { kind: 'held' }>): object {
  return {
    ...(holder === null ? kinds.record : kinds.session),
    lockInfo: {
      host: holder?.host ?? '',
      IPAddr: holder?.address ?? '',
      recordNumber: recordNumber(key),
      userAgent: holder?.userAgent ?? '',
    },
  };
}

/** Other servers of the protocol number their records; here the key is used where it is a number, and otherwise 0. */
function recordNumber([only, ...more]: KeyTexts): number {
  const number = Number(only);
  return more.length === 0 && Number.isSafeInteger(number) ? number : 0;
}
