import { nameHint } from '../../base/names.ts';
import {
  findNamed,
  qualifiedName,
  type PhysicalSchema,
  type Routine,
  type RoutineParameter,
} from '../../schema/types.ts';

/** Finds routines as the database does. Several of one name differ in their parameters (PostgreSQL). */
export class RoutineIndex {
  readonly #routines: readonly Routine[] | null;
  readonly #ignoreCase: boolean;

  constructor({ routines, ignoreCase = false }: PhysicalSchema) {
    this.#routines = routines ?? null;
    this.#ignoreCase = ignoreCase;
  }

  /** Finds the routine of a name that takes parameters of these names; a message where there is none, or more than one. */
  find(named: Pick<Routine, 'schema' | 'name'>, taken: readonly string[]): Routine | string {
    if (this.#routines === null) {
      return 'the snapshot of the schema was made before routines were looked for: make it again by "entitygate schema"';
    }
    const wanted = qualifiedName(named);
    const exact = this.#routines.filter((routine) => qualifiedName(routine) === wanted);
    const found = exact.length > 0 || !this.#ignoreCase ? exact : this.#folded(wanted);
    if (found.length === 0) {
      const names = new Set(this.#routines.map(qualifiedName));
      return `the database has no procedure or function ${wanted} that its user may call.${nameHint(wanted, names)}`;
    }
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) return only;
    const fitting = found.filter((routine) => this.#takes(routine, taken));
    const [first, ...more] = fitting.toSorted((a, b) => a.parameters.length - b.parameters.length);
    if (first === undefined) {
      return `none of the ${found.length} functions ${wanted} takes the parameters ${taken.join(', ')}`;
    }
    if (more[0]?.parameters.length !== first.parameters.length) return first;
    return `${fitting.length} functions ${wanted} take these parameters: make one under another name that calls the one that is meant`;
  }

  /** The parameter of a routine with a name; undefined where there is none. */
  parameter({ parameters }: Routine, name: string): RoutineParameter | undefined {
    const plain = name.replace(/^@/, '');
    return findNamed(parameters, plain, (parameter) => parameter.name, this.#ignoreCase);
  }

  #folded(wanted: string): Routine[] {
    const folded = wanted.toLowerCase();
    return (this.#routines ?? []).filter(
      (routine) => qualifiedName(routine).toLowerCase() === folded,
    );
  }

  #takes(routine: Routine, taken: readonly string[]): boolean {
    const given = new Set(taken.map((name) => this.parameter(routine, name)));
    return (
      !given.has(undefined) &&
      routine.parameters.every((parameter) => given.has(parameter) || !isRequired(parameter))
    );
  }
}

/** Whether the database is known to have no default for a parameter. */
export function isRequired({ direction, optional }: RoutineParameter): boolean {
  return direction === 'in' && optional === false;
}
