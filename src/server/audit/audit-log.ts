import { ProtocolError, errorTable, StartupError, type ErrorName } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { Logger, ObserveWrites } from '../../base/observe/observer.ts';
import type { EntityWritten, FunctionCalled, WriteRefused } from '../../base/observe/writes.ts';
import { type Claims, type Principal, textClaim } from '../../base/principal.ts';
import { displayPath } from '../../config/document/text-file.ts';
import { type AuditSetting, STDOUT } from '../../config/settings/server.ts';
import type { Model } from '../../model/types.ts';
import { AuditFile, type AuditTrouble } from './audit-file.ts';

type Locate = (setting: string) => string;

/**
 * Opens the audit log of the configuration.
 * @param wantsValues as in {@link AuditOptions}
 * @param log reports when the audit log cannot be written
 * @throws StartupError where its file cannot be opened
 */
export function openAudit(
  { to, required: isRequired }: Omit<AuditSetting, 'values'>,
  wantsValues: AuditOptions['wantsValues'],
  locate: Locate,
  log: Logger,
): {
  readonly observe: ObserveWrites;
  /** Writes the line of a reload that no request asked for. */
  readonly reloaded: (cause: string, isDone: boolean) => void;
  readonly close: () => void;
} {
  const file = openFile(to, locate, {
    failing: (err, waiting, lost) => {
      const message = `the audit log cannot be written: ${err.message}`;
      log.error({ err, waiting, lost }, message);
    },
    recovered: (lost) => log.info({ lost }, 'writing the audit log works again'),
  });
  const observe = auditLog(file, { wantsValues, isRequired, now: Date.now });
  const reloaded = (cause: string, isDone: boolean): void => {
    const error = isDone ? null : new ProtocolError('reloadFailed', 'The reload failed.');
    const time = new Date().toISOString();
    const who = { request: null, user: null, roles: [], address: null };
    const line = { log: 'audit', time, ...who, action: 'reload', cause, ...outcomeOf(error) };
    file.write(`${JSON.stringify(line)}\n`, 1);
  };
  return { observe, reloaded, close: file.close };
}

function openFile(to: string, locate: Locate, trouble: AuditTrouble): AuditFile {
  try {
    return new AuditFile(to === STDOUT ? null : to, trouble);
  } catch (error) {
    const { code, message: reason } = error as NodeJS.ErrnoException;
    const why = code === 'ENXIO' ? 'no process reads the pipe' : reason;
    const message = `${displayPath(to)} cannot be written: ${why}`;
    throw StartupError.at(locate('audit.to'), message);
  }
}

/** Reads the setting `audit.values`: whether the values of a member are logged. @throws StartupError for unknown names */
export function wantedValues(
  values: AuditSetting['values'],
  { dataclasses, leftOut }: Pick<Model, 'dataclasses' | 'leftOut'>,
  locate: Locate,
): AuditOptions['wantsValues'] {
  if (typeof values === 'string') return () => values === 'all';
  const wanted = new Set(values);
  const problems = values.flatMap((name, index) => {
    const [dataclass = '', member = ''] = name.split('.');
    const owner = dataclasses.get(dataclass);
    const isLeftOut = leftOut.has(dataclass) || owner?.leftOut.has(member) === true;
    if (isLeftOut || owner?.members.has(member) === true) return [];
    const where = locate(`audit.values.${index}`);
    if (owner === undefined) {
      const hint = nameHint(dataclass, dataclasses.keys());
      return [{ where, message: `there is no dataclass ${dataclass}.${hint}` }];
    }
    const hint = nameHint(member, owner.members.keys());
    return [{ where, message: `${dataclass} has no attribute or relation ${member}.${hint}` }];
  });
  if (problems.length > 0) throw new StartupError(problems);
  return (dataclass, member) => wanted.has(`${dataclass}.${member}`);
}

export interface AuditOptions {
  readonly wantsValues: (dataclass: string, member: string) => boolean;
  /** Whether writes are refused while lines cannot be written. */
  readonly isRequired: boolean;
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Makes the observer that writes a line of JSON for each entity written, once that is committed, and for each refusal. */
export function auditLog(
  target: Pick<AuditFile, 'write' | 'problem'>,
  { wantsValues, isRequired, now }: AuditOptions,
): ObserveWrites {
  return ({ id, address }) => {
    let isLogged = false;
    const log = ({ name, roles, claims }: Principal, lines: readonly object[]): void => {
      isLogged = true;
      const head = JSON.stringify({
        log: 'audit',
        time: new Date(now()).toISOString(),
        request: id,
        user: name,
        ...subjectOf(name, claims),
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
      entitiesWritten: (principal, entities) => log(principal, entities.map(writtenLine)),
      entitiesRefused: (principal, entities) => log(principal, entities.map(refusedLine)),
      functionCalled: (principal, call) => log(principal, [calledLine(call)]),
      reloadAsked: (principal, error) =>
        log(principal, [{ action: 'reload', ...outcomeOf(error) }]),
      requestRefused: (principal, request) => {
        if (isLogged) return;
        log(principal, ['function' in request ? calledLine(request) : refusedLine(request)]);
      },
    };
  };
}

/** The name by which the identity provider knows a user, where the gateway calls the user otherwise. */
function subjectOf(name: string | null, claims: Claims): { readonly subject?: string } {
  const subject = textClaim(claims, 'sub');
  return subject === null || subject === name ? {} : { subject };
}

function writtenLine({ action, dataclass, key, attributes, values }: EntityWritten): object {
  const logged = values.size === 0 ? undefined : Object.fromEntries(values);
  return { action, dataclass, key, attributes, values: logged, ...outcomeOf(null) };
}

function calledLine({ function: name, dataclass, error }: FunctionCalled): object {
  return { action: 'execute', function: name, dataclass, ...outcomeOf(error) };
}

function refusedLine({ action, dataclass, key, attributes, error }: WriteRefused): object {
  return { action, dataclass, key, attributes, ...outcomeOf(error) };
}

function outcomeOf(error: ProtocolError | null): {
  readonly outcome: 'done' | 'denied' | 'failed' | 'unknown';
  readonly errCode?: number;
  readonly error?: ErrorName;
} {
  if (error === null) return { outcome: 'done' };
  const { errorName } = error;
  const { code: errCode, status } = errorTable[errorName];
  const refusal = status === 401 || status === 403 ? 'denied' : 'failed';
  const outcome = errorName === 'outcomeUnknown' ? 'unknown' : refusal;
  return { outcome, errCode, error: errorName };
}
