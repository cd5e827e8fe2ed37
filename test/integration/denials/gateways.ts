import { afterAll, beforeAll } from 'vitest';
import { copyMappings, testFolder, type TestFolder } from '../../config/files.ts';
import { startGateway, type Gateway } from '../../targets/gateway.ts';
import type { OpenTarget, Target } from '../../targets/target.ts';
import { withheld } from './withholding.ts';

type Settings = Parameters<typeof startGateway>[1];

/** Gateways of several configurations in front of one database, while the tests run that the surrounding `describe` has. */
export interface Gateways {
  /** The one that withholds nothing. */
  readonly full: () => Gateway;
  readonly start: (settings: Settings) => Promise<Gateway>;
  /** Starts one whose mapping files have what the role sees, and companies that meet a filter. */
  readonly startWithout: (where: string, settings?: Settings, more?: object) => Promise<Gateway>;
}

/** Opens a target for {@link Gateways}. @param beforeEnd is called before they end */
export function gatewaysOn(target: Target, beforeEnd = () => Promise.resolve()): Gateways {
  let opened: OpenTarget;
  let full: Gateway;
  let folder: TestFolder;
  const running: Gateway[] = [];
  beforeAll(async () => {
    opened = await target.open();
    folder = await testFolder();
    full = await startGateway(opened.database);
  });
  afterAll(async () => {
    await beforeEnd();
    for (const gateway of running) await gateway.close();
    await full.close();
    await opened.close();
    await folder.remove();
  });
  const start: Gateways['start'] = async (settings) => {
    const gateway = await startGateway(opened.database, settings, full.database);
    running.push(gateway);
    return gateway;
  };
  return {
    full: () => full,
    start,
    startWithout: async (where, settings = {}, more = {}) => {
      const mappings = await copyMappings(folder, (text) => withheld(text, where, more));
      return start({ ...settings, mappings });
    },
  };
}
