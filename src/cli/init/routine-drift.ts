import { typeName } from '../../schema/type-name.ts';
import { addTo } from '../../base/group.ts';
import { qualifiedName, type PhysicalSchema, type Routine } from '../../schema/types.ts';

/**
 * What routines that mapping files name take and return otherwise than in a snapshot. That one is gone, or a parameter that is named, the
 * model says.
 * @param named the qualified names, as {@link fold} makes them comparable
 */
export function changedRoutines(
  named: readonly string[],
  schema: PhysicalSchema,
  prior: PhysicalSchema | null,
  fold: (name: string) => string,
): string[] {
  const before = formsOf(prior?.routines ?? []);
  const now = formsOf(schema.routines ?? []);
  const wanted = new Set(named.map(fold));
  return [...now].flatMap(([name, is]) => {
    const was = before.get(name);
    if (was === undefined || was === is || !wanted.has(fold(name))) return [];
    return [`${name}: it was ${was}, and is ${is}`];
  });
}

/** What is taken and returned under each name; of several routines of one name, by each. */
function formsOf(routines: readonly Routine[]): ReadonlyMap<string, string> {
  const forms = new Map<string, string[]>();
  for (const routine of routines) {
    addTo(forms, qualifiedName(routine), formOf(routine));
  }
  return new Map([...forms].map(([name, texts]) => [name, texts.sort().join(' and ')]));
}

/** `(a int4, out b numeric) → text` */
function formOf({ parameters, returns }: Routine): string {
  const taken = parameters.map(({ name, type, direction }) =>
    [...(direction === 'in' ? [] : [direction]), name, typeName(type)].join(' '),
  );
  return `(${taken.join(', ')})${resultText(returns)}`;
}

function resultText(returns: Routine['returns']): string {
  switch (returns.kind) {
    case 'none':
      return '';
    case 'value':
      return ` → ${typeName(returns.type)}`;
    case 'row':
    case 'rows':
      return ` → ${returns.kind} of ${returns.columns?.map(({ name, type }) => `${name} ${typeName(type)}`).join(', ') ?? 'any columns'}`;
  }
}
