import { StartupError } from '../../base/errors.ts';
import { type AuditSetting, STDOUT } from '../../config/settings/server.ts';
import { displayPath } from '../../config/document/text-file.ts';
import type { Model } from '../../model/types.ts';
import type { Logger, Observer } from '../../base/observe/observer.ts';
import { AuditFile } from './audit-file.ts';
import { auditLog, type AuditOptions } from './audit-log.ts';
import { nameHint } from '../../base/names.ts';

/** An audit log that can be written. */
export interface OpenAudit {
  /** Hears of what requests write. */
  readonly observer: Observer;
  /** Ends it, when no request is served any more. */
  readonly close: () => void;
}

/** What an audit log is opened with. */
export interface AuditContext {
  readonly model: Pick<Model, 'dataclasses'>;
  /** Where a setting was made. */
  readonly locate: (setting: string) => string;
  /** Where it is told that the audit log cannot be written; null as long as there is no log. */
  readonly log: () => Logger | null;
}

/**
 * Opens the audit log that the configuration asks for.
 * @throws StartupError where its file cannot be opened, and for names of attributes that nothing has
 */
export function openAudit(
  { to, values, required }: AuditSetting,
  { model, locate, log }: AuditContext,
): OpenAudit {
  const wantsValues = wantedValues(values, model, locate);
  const target = openFile(to, locate, {
    failing: (err, waiting, lost) => {
      const message = `the audit log cannot be written: ${err.message}`;
      log()?.error({ err, waiting, lost }, message);
    },
    recovered: (lost) => {
      log()?.info({ lost }, 'the audit log is written again');
    },
  });
  const options = { wantsValues, isRequired: required, now: Date.now };
  return { observer: auditLog(target, options), close: target.close };
}

function openFile(
  to: string,
  locate: (setting: string) => string,
  trouble: ConstructorParameters<typeof AuditFile>[1],
): AuditFile {
  if (to === STDOUT) return new AuditFile(null, trouble);
  try {
    return new AuditFile(to, trouble);
  } catch (error) {
    const { code, message: reason } = error as NodeJS.ErrnoException;
    const why = code === 'ENXIO' ? 'no process reads the pipe' : reason;
    const message = `${displayPath(to)} cannot be written: ${why}`;
    throw new StartupError([{ where: locate('audit.to'), message }]);
  }
}

/**
 * Whose values are told, by the setting `audit.values`.
 * @param locate where a setting was made
 * @throws StartupError for names that nothing has
 */
export function wantedValues(
  values: AuditSetting['values'],
  { dataclasses }: Pick<Model, 'dataclasses'>,
  locate: (setting: string) => string,
): AuditOptions['wantsValues'] {
  if (typeof values === 'string') return () => values === 'all';
  const wanted = new Set(values);
  const problems = values.flatMap((name, index) => {
    const [dataclass = '', member = ''] = name.split('.');
    const members = dataclasses.get(dataclass)?.members;
    const where = locate(`audit.values.${index}`);
    if (members === undefined) {
      const hint = nameHint(dataclass, dataclasses.keys());
      return [{ where, message: `there is no dataclass ${dataclass}.${hint}` }];
    }
    if (members.has(member)) return [];
    const hint = nameHint(member, members.keys());
    return [{ where, message: `${dataclass} has no attribute or relation ${member}.${hint}` }];
  });
  if (problems.length > 0) throw new StartupError(problems);
  return (dataclass, member) => wanted.has(`${dataclass}.${member}`);
}
