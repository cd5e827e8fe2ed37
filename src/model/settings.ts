/** Settings of `config.yaml` that the model carries. */
export interface ModelSettings {
  readonly ignoreCase: boolean;
  readonly readOnly: boolean;
  readonly requireStamp: boolean;
  /** Whether a negative stamp overwrites where a stamp is required; it does not where it is left out. */
  readonly compatibility?: { readonly overrideStamp: boolean };
  /** Whether dates without time are answered as `d!m!yyyy`; false where it is left out. */
  readonly simpleDates?: boolean;
  /** The key of stamps that are hashes; no stamp is to be made where it is left out. */
  readonly stampKey?: () => string;
  /** In which language the database is asked; PostgreSQL's where it is left out. */
  readonly dialect?: 'postgres' | 'tsql';
  /** Functions that expressions may call besides those that are known to be harmless. */
  readonly sqlFunctions?: readonly string[];
  /** Whether `!=` in a restriction finds null; false where it is left out. */
  readonly nullsMatchNotEqual?: boolean;
}
