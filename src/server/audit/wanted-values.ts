import { StartupError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { AuditSetting } from '../../config/settings/audit.ts';
import type { Model } from '../../model/types.ts';
import type { AuditOptions } from './audit-log.ts';

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
