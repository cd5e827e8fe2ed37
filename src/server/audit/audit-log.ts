import { ProtocolError, type ErrorName, errorTable } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import { deaf, type Observer, type RequestBegun } from '../../base/observe/observer.ts';
import type {
  EntityWritten,
  FunctionCalled,
  WriteObserver,
  WriteRefused,
} from '../../base/observe/writes.ts';
import type { AuditTarget } from './audit-file.ts';

/** What an audit log is told. */
export interface AuditOptions {
  /** Whether the values of an attribute or relation are told. */
  readonly wantsValues: (dataclass: string, member: string) => boolean;
  /** Whether nothing is written while lines cannot be. */
  readonly isRequired: boolean;
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** What became of a write, as a line says it. */
type Outcome = 'done' | 'denied' | 'failed' | 'unknown';

/** Writes a line of JSON for each entity that a request has written, once that is committed, and for what was refused. */
export function auditLog(target: AuditTarget, options: AuditOptions): Observer {
  return (request) => ({ ...deaf, writes: auditOf(request, target, options) });
}

function auditOf(
  { id, address }: RequestBegun,
  target: AuditTarget,
  { wantsValues, isRequired, now }: AuditOptions,
): WriteObserver {
  let isTold = false;
  const tell = ({ name, roles }: Principal, lines: readonly object[]): void => {
    isTold = true;
    const head = JSON.stringify({
      log: 'audit',
      time: new Date(now()).toISOString(),
      request: id,
      user: name,
      roles,
      address,
    }).slice(0, -1);
    const text = lines.map((line) => `${head},${JSON.stringify(line).slice(1)}\n`).join('');
    target.write(text, lines.length);
  };
  return {
    wantsValues,
    checkWritable: () => {
      const problem = isRequired ? target.problem() : null;
      if (problem !== null) throw ProtocolError.of('auditUnavailable', problem);
    },
    entitiesWritten: (principal, entities) => tell(principal, entities.map(writtenLine)),
    entitiesRefused: (principal, entities) => tell(principal, entities.map(refusedLine)),
    functionCalled: (principal, call) => tell(principal, [calledLine(call)]),
    requestRefused: (principal, request) => {
      if (isTold) return;
      tell(principal, ['function' in request ? calledLine(request) : refusedLine(request)]);
    },
  };
}

function writtenLine({ action, dataclass, key, attributes, values }: EntityWritten): object {
  const outcome: Outcome = 'done';
  return {
    action,
    dataclass,
    key,
    attributes,
    ...(values.size === 0 ? {} : { values: Object.fromEntries(values) }),
    outcome,
  };
}

function calledLine({ function: name, dataclass, error }: FunctionCalled): object {
  const line = { action: 'execute', function: name, dataclass };
  if (error === null) return { ...line, outcome: 'done' satisfies Outcome };
  const { errorName } = error;
  const { code: errCode } = errorTable[errorName];
  return { ...line, outcome: refusal(errorName), errCode, error: errorName };
}

function refusedLine({ action, dataclass, key, attributes, error }: WriteRefused): object {
  const { errorName } = error;
  const { code: errCode } = errorTable[errorName];
  return {
    action,
    dataclass,
    key,
    attributes,
    outcome: refusal(errorName),
    errCode,
    error: errorName,
  };
}

function refusal(errorName: ErrorName): Outcome {
  if (errorName === 'outcomeUnknown') return 'unknown';
  const { status } = errorTable[errorName];
  return status === 401 || status === 403 ? 'denied' : 'failed';
}
