/** The sample's model as `entitygate types` writes it, with a few functions. `npm run types` writes it anew. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { run } from '../../cli/run.ts';
import { testFolder } from '../../config/files.ts';
import { readSnapshot } from '../../fixtures/legacy/model.ts';
import { EMPLOYEE_FUNCTIONS, SHARED_FUNCTIONS, SNAPSHOT_ROUTINES } from './functions.ts';

/** The model that the tests are compiled with. */
export const MODEL_FILE = fileURLToPath(new URL('model.ts', import.meta.url));

/** Copies the sample's mapping files, and adds the functions. */
export async function mappingsWithFunctions(folder: string): Promise<void> {
  await cp('mappings', folder, { recursive: true });
  const employee = await readFile('mappings/employee.yaml', 'utf8');
  await writeFile(`${folder}/employee.yaml`, employee + EMPLOYEE_FUNCTIONS);
  await writeFile(`${folder}/functions.yaml`, SHARED_FUNCTIONS);
}

/** Attributes as a role has them: those that are named are hidden. */
const hidden = (names: string, others = ''): string =>
  `attributes: { ${names.replaceAll(/\w+/g, '$&: hidden')}, ${others} }`;

const WRITTEN = 'read: true, create: true, update: true, delete: true';

/** Sees what the tests ask for: other dataclasses and attributes of the sample are of the same kinds. */
const ROLE = `
roles:
  tester:
    execute: true
    dataclasses:
      Category: { ${WRITTEN}, ${hidden('description')} }
      Company: { read: true, create: true, ${hidden('city, street, founded, isCustomer, latitude, longitude, website, logo, details, employees, projects, billedOrders, shippedOrders, documents')} }
      Country: { read: true, update: true, ${hidden('isoNumber, inEU, currency, companies, holidays')} }
      Document: { ${WRITTEN}, ${hidden('owner, order, hash')} }
      Employee: { ${WRITTEN}, ${hidden('phone, birthDate, assignments, projects, ledProjects, soldOrders', 'shiftStart: readOnly')} }
      LogEntry: { read: true, ${hidden('time, source, message, employee')} }
      Order: { ${WRITTEN}, ${hidden('requiredDate, shipTo, salesRep, products, documents')} }
      OrderLine: { ${WRITTEN}, ${hidden('discount, shippedDate, remark')} }
      Product: { read: true, update: true, ${hidden('listPrice, weight, stock, minimumStock, rating, barcode, discontinued, spec, category, orderLines, orders')} }
`;

/** Runs `entitygate types` for the sample, and returns the text of a file that it writes. */
export async function writtenFile(
  name: 'client.ts' | 'model.ts',
  options: readonly string[] = [],
): Promise<string> {
  const folder = await testFolder();
  try {
    await mappingsWithFunctions(`${folder.path}/mappings`);
    const settings = await readFile('config.yaml', 'utf8');
    const config = await folder.write('config.yaml', settings + ROLE);
    const schema = { ...readSnapshot('postgres'), routines: SNAPSHOT_ROUTINES };
    const file = await folder.write('schema.json', JSON.stringify(schema));
    const out = `${folder.path}/api`;
    const { code, error } = await run([
      'types',
      ...['--config', config, '--schema-file', file, '--role', 'tester', '--out', out],
      ...options,
    ]);
    if (code !== 0) throw new Error(error);
    return await readFile(`${out}/${name}`, 'utf8');
  } finally {
    await folder.remove();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await writeFile(MODEL_FILE, await writtenFile('model.ts'));
}
