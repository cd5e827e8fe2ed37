import { readFile, writeFile } from 'node:fs/promises';

/** The memory that a process has had at most since it was started or asked last, in bytes, as Linux tells it; NaN elsewhere. */
export async function peak(pid: number | undefined): Promise<number> {
  const folder = `/proc/${pid ?? 0}`;
  try {
    const [, kilobytes] =
      /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`${folder}/status`, 'utf8')) ?? [];
    await writeFile(`${folder}/clear_refs`, '5');
    return Number(kilobytes) * 1024;
  } catch {
    return Number.NaN;
  }
}
