import type { StartupProblem } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { Model } from '../../model/types.ts';

/** Stands for all functions of a dataclass or a singleton. */
const ALL_OF = '.*';

/**
 * The full names of the functions that a role may execute. A function may do whatever its routine does, whoever calls it: what nobody has
 * named, nobody may.
 * @param where the setting's path
 */
export function readExecute(
  setting: boolean | readonly string[],
  where: string,
  { model, locate }: { readonly model: Model; readonly locate: (setting: string) => string },
  problems: StartupProblem[],
): ReadonlySet<string> {
  const all = functionNames(model);
  if (typeof setting === 'boolean') return new Set(setting ? all : []);
  return new Set(
    setting.flatMap((name, index) => {
      const found = name.endsWith(ALL_OF)
        ? all.filter((known) => known.startsWith(name.slice(0, -1)))
        : all.filter((known) => known === name);
      if (found.length === 0) {
        const message = `there is no function ${name}.${nameHint(name, all)}`;
        problems.push({ where: locate(`${where}.${index}`), message });
      }
      return found;
    }),
  );
}

/** The full names of all functions of a model. */
function functionNames({ functions, dataclasses, singletons }: Model): string[] {
  return [{ functions }, ...dataclasses.values(), ...singletons.values()].flatMap((owner) =>
    Array.from(owner.functions.values(), ({ fullName }) => fullName),
  );
}
