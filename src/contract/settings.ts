import type { Config } from '../config/config.ts';

/** The settings of `config.yaml` that the document depends on. */
export type ContractSettings = Pick<
  Config,
  'application' | 'authentication' | 'bigNumbersAsStrings' | 'locks' | 'sessions'
> & { readonly server: Pick<Config['server'], 'createdStatus' | 'publicUrl'> };
