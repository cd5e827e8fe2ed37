import type { Answer, Gateway } from '../targets/gateway.ts';
import { facts, type DataclassName } from './dataclasses.ts';
import { inKeyOrder, keyOf, rowsOf, type Row } from './oracle.ts';

interface Page {
  readonly __DATACLASS: DataclassName;
  readonly __COUNT: number;
  readonly __ENTITIES: readonly { readonly __KEY?: string; readonly __STAMP?: unknown }[];
}

/**
 * Reads all that a URL selects, or the page that it says, and answers the keys in their order, as `KEYS` shows them: `1-3,7 of 9`, `all` and `all but 7` of
 * those of the sample in key order, `-` where an entity has been deleted. A refusal is answered as it is.
 */
export async function keysOf(gateway: Gateway, url: string): Promise<Answer> {
  const asked = [
    ...(/\$(?:top|limit)=/.test(url) ? [] : ['$top=5000']),
    ...(url.includes('$attributes=') ? [] : attributesOf(url)),
  ];
  const joint = asked.length === 0 ? '' : url.includes('?') ? '&' : '?';
  const answer = await gateway.get(`/rest/${url}${joint}${asked.join('&')}`);
  return answer.status === 200 ? { ...answer, body: shown(answer.body as Page) } : answer;
}

/** The key, of which no more is read; of what a path leads to, all is. */
function attributesOf(url: string): string[] {
  const [, name] = /^(\w+)(?:\(.*?\)|\[.*?\]|\/\$entityset\/\w+)?\/?(?:\?|$)/.exec(url) ?? [];
  if (name === undefined) return [];
  const { key } = facts(name);
  return key.length === 0 ? [] : [`$attributes=${key.join()}`];
}

function shown({ __DATACLASS: dataclass, __COUNT: count, __ENTITIES: entities }: Page): string {
  const { key } = facts(dataclass);
  const inParts = (text: string): string =>
    key.length > 1 ? Object.values(JSON.parse(text) as object).join(';') : text;
  const keys = entities.map(({ __KEY, __STAMP }) => (__STAMP === 0 ? '-' : inParts(__KEY ?? '')));
  const all = inKeyOrder<Row>(dataclass, rowsOf(dataclass)).map((row) =>
    inParts(keyOf(dataclass, row)),
  );
  const others = all.filter((key) => !keys.includes(key));
  const isMost =
    keys.length > all.length / 2 && keys.join() === all.filter((key) => keys.includes(key)).join();
  const told = isMost
    ? `all${others.length === 0 ? '' : ` but ${inRuns(others)}`}`
    : key.length === 0
      ? `${keys.length} without keys`
      : inRuns(keys);
  return count === keys.length ? told : `${told} of ${count}`;
}

/** Keys apart by commas, three and more that follow each other, or precede, as `1-3` or `3-1`; the parts of a key by semicolons, and texts with a comma in quotes. */
function inRuns(keys: readonly string[]): string {
  const runs: string[][] = [];
  for (const key of keys) {
    const run = runs.at(-1);
    const [last, before] = [run?.at(-1), run?.at(-2)];
    const step = isNumber(key) && isNumber(last) ? Number(key) - Number(last) : 0;
    const isNext =
      Math.abs(step) === 1 && (before === undefined || Number(last) - Number(before) === step);
    if (isNext) run?.push(key);
    else runs.push([key]);
  }
  return runs
    .flatMap((run) => (run.length > 2 ? [`${run[0] ?? ''}-${run.at(-1) ?? ''}`] : run))
    .map((text) => (text.includes(',') ? JSON.stringify(text) : text))
    .join();
}

function isNumber(text = ''): boolean {
  return /^\d+$/.test(text);
}
