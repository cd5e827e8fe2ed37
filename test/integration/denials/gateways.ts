import { afterAll, beforeAll } from 'vitest';
import { copyMappings, testFolder, type TestFolder } from '../../config/files.ts';
import type { Gateway } from '../../targets/gateway.ts';
import type { Target } from '../../targets/target.ts';
import { serving, type Serving } from '../writing.ts';
import { withheld } from './withholding.ts';

type Settings = Parameters<Serving['start']>[0];

/** Gateways of several configurations in front of one database, while the tests run that the surrounding `describe` has. */
export interface Gateways {
  /** The one that withholds nothing. */
  readonly full: Gateway;
  readonly start: Serving['start'];
  /** Starts one whose mapping files have what the role sees, and companies that meet a filter. */
  readonly startWithout: (where: string, settings?: Settings, more?: object) => Promise<Gateway>;
}

/** Opens a target for {@link Gateways}. @param beforeEnd is called before they end */
export function gatewaysOn(target: Target, beforeEnd = () => Promise.resolve()): Gateways {
  const { gateway, start } = serving(target);
  let folder: TestFolder;
  beforeAll(async () => {
    folder = await testFolder();
  });
  // Hooks at the end run in reverse: this one before the gateways are closed.
  afterAll(async () => {
    await beforeEnd();
    await folder.remove();
  });
  return {
    full: gateway,
    start,
    startWithout: async (where, settings = {}, more = {}) => {
      const mappings = await copyMappings(folder, (text) => withheld(text, where, more));
      return start({ ...settings, mappings });
    },
  };
}
