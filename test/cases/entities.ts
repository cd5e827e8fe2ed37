/** The members of an entity. */
export type Fields = Readonly<Record<string, unknown>>;

/** How tables say that an entity is answered, by its key, before a case has been answered it. */
export type Fresh = (dataclass: string, key: string) => Fields;

/** The entities of a case, as it was answered them last. */
export class Entities {
  readonly #fresh: Fresh;
  readonly #answered = new Map<string, Fields>();

  constructor(fresh: Fresh = () => ({})) {
    this.#fresh = fresh;
  }

  /**
   * The members of an entity, with the values that a save sends for them.
   * @param isThere whether it is in the database, which a dry run's new one is not
   */
  of(dataclass: string, key: string, sent: unknown, isThere: boolean): Fields {
    const fresh = this.#fresh(dataclass, key);
    const known: Fields = {
      ...Object.fromEntries(
        Object.entries(fresh).filter(([name]) => isThere || name !== '__TIMESTAMP'),
      ),
      ...this.#answered.get(`${dataclass}(${key})`),
    };
    const given = Object.entries(isFields(sent) ? sent : {}).filter(
      ([name, value]) =>
        name in known && (value === null || (isScalar(value) && isScalar(known[name]))),
    );
    return { ...known, ...Object.fromEntries(given) };
  }

  /** Keeps the entities within an answer: what of them stands in columns, and where their relations lead. */
  keep(answer: unknown): void {
    if (Array.isArray(answer)) for (const item of answer as unknown[]) this.keep(item);
    if (!isFields(answer)) return;
    const { __entityModel: dataclass, __KEY: key, ...fields } = answer;
    for (const value of Object.values(fields)) this.keep(value);
    if (typeof dataclass !== 'string' || typeof key !== 'string') return;
    const name = `${dataclass}(${key})`;
    const kept = Object.entries(fields).filter(
      ([member, value]) => !/^(?:__|uri$)/.test(member) && !isNested(value),
    );
    this.#answered.set(name, { ...this.#answered.get(name), ...Object.fromEntries(kept) });
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Whether a value is other entities, or an image with the stamp of its own. */
function isNested(value: unknown): boolean {
  return isFields(value) && ('__ENTITIES' in value || '__STAMP' in value);
}
