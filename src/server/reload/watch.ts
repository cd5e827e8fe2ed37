import { type FSWatcher, watch } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How long nothing may change before files are read again, in milliseconds: editors and deployments change several, one after the other. */
const SETTLING = 300;

/** How long changes may go on until files are read in any case, in milliseconds. */
const LONGEST = 5000;

/**
 * Watches folders, and calls back some time after a change in one of them, until the returned function is called. Folders are watched, and not files, because editors
 * replace files. A folder behind a link, as a ConfigMap of Kubernetes is, is watched anew after each change: its link then leads elsewhere.
 * @param folders returns the folders, which a change may replace
 * @param isMeant whether a name of a file or folder matters; null where the system does not report it
 */
export async function watchFolders(
  folders: () => readonly string[],
  isMeant: (name: string | null) => boolean,
  onChange: () => Promise<unknown>,
  settling = SETTLING,
): Promise<() => void> {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | null = null;
  let changedAt: number | null = null;
  let isEnded = false;

  const changed = (): void => {
    changedAt ??= performance.now();
    if (timer !== null && performance.now() - changedAt > LONGEST) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      changedAt = null;
      // What changes meanwhile is heard by the new watchers, and is read again then.
      void watchAll()
        .then(onChange)
        .then(watchAll)
        .catch(() => undefined);
    }, settling).unref();
  };
  const watchAll = async (): Promise<void> => {
    const wanted = new Set((await Promise.all(folders().map(foldersBehind))).flat());
    if (isEnded) return;
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of wanted) {
      if (watchers.has(folder)) continue;
      const watcher = watched(
        folder,
        () => watchers.delete(folder),
        (name) => {
          if (isMeant(name)) changed();
        },
      );
      if (watcher !== null) watchers.set(folder, watcher);
    }
  };

  await watchAll();
  return () => {
    isEnded = true;
    if (timer !== null) clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  };
}

/** Returns the folder behind a path, that which holds its name, and that which holds the link it leads through, if any. */
async function foldersBehind(folder: string): Promise<string[]> {
  const real = await realpath(folder).catch(() => folder);
  const link = await readlink(folder).catch(() => null);
  return [real, dirname(folder), ...(link === null ? [] : [dirname(real)])];
}

/** Watches a folder; null for a folder that does not exist: its parent reports its creation. */
export function watched(
  folder: string,
  onGone: () => void,
  onChange: (name: string | null) => void,
): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      // A folder that was removed or replaced has no more changes.
      if (name === null || name === folder.split(/[\\/]/).pop()) {
        watcher.close();
        onGone();
      }
      onChange(name);
    });
    watcher.on('error', () => {
      watcher.close();
      onGone();
      onChange(null);
    });
    return watcher;
  } catch {
    return null;
  }
}
