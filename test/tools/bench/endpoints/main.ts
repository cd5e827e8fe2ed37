/**
 * `npm run bench -- [--engine postgres,sqlserver,pglite] [--only text,…] [--connections 1,8,64] [--rounds 7] [--seconds 1.5] [--write]`: requests through a
 * gateway in a process of its own, beside handlers written by hand in another one, which answer the same bytes from the same database. They take turns.
 * `--beside FOLDER` adds the gateway of another checkout, which is built there. `--write` puts the tables into docs/reference/performance.md.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { withSection } from './document.ts';
import { shownResult, shownResults, type Result } from './report.ts';
import { onEngines, runCases } from './run.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres,sqlserver,pglite' },
    only: { type: 'string', default: '' },
    connections: { type: 'string', default: '1,8,64' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    beside: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const plan = {
  only: values.only.split(','),
  connections: values.connections.split(',').map(Number),
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  beside: values.beside,
};
const DOCUMENT = 'docs/reference/performance.md';

await onEngines(values.engine, plan, async (measured) => {
  const results: Result[] = [];
  await runCases(measured, plan, (result) => {
    results.push(result);
    console.log(`${result.beside}: ${shownResult(result).join(' | ')}`);
  });
  const { engine, version, circumstances } = measured;
  const on = version.includes('Babelfish') ? `Babelfish in place of ${engine}` : engine;
  const heading = `Requests beside others, on ${on}`;
  const text = `${circumstances()}\n\n${shownResults(results)}`;
  console.log(`\n${heading}\n\n${text}\n`);
  if (!values.write) return;
  await writeFile(DOCUMENT, withSection(await readFile(DOCUMENT, 'utf8'), heading, text));
});
