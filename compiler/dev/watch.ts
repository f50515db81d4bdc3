/** Says when something may have changed in folders. What it was, whoever hears of it looks up. */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";

export interface Watch {
  /**
   * Watches these folders (paths to what tells a folder from a later one there) from now on and no others; true when some
   * of them were not watched yet.
   */
  follow(folders: ReadonlyMap<string, string>): boolean;
  close(): void;
}

/** Milliseconds without news after which a change counts as complete: editors and version control write in several steps. */
const quiet = 25;

/** Milliseconds after which it does so anyway. */
const patience = 250;

/**
 * @param root Told of, too, when it appears or goes as a whole.
 * @param changed Called once for news that come together, with the time of the first of them (`performance.now()`).
 */
export function watchFolders(root: string, changed: (since: number) => void): Watch {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  let first: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const around = watchOne(dirname(resolve(root)), (name) => {
    if (name === basename(resolve(root))) note();
  });

  return {
    follow(folders) {
      for (const [folder, { identity }] of watchers) if (folders.get(folder) !== identity) forget(folder);
      const fresh = [...folders].filter(([folder]) => !watchers.has(folder));
      for (const [folder, identity] of fresh) {
        const watcher = watchOne(folder, note);
        if (watcher !== undefined) watchers.set(folder, { watcher, identity });
      }
      return fresh.length > 0;
    },
    close() {
      clearTimeout(timer);
      around?.close();
      for (const folder of [...watchers.keys()]) forget(folder);
    },
  };

  function note(): void {
    const now = performance.now();
    first ??= now;
    clearTimeout(timer);
    timer = setTimeout(tell, Math.max(0, Math.min(quiet, first + patience - now)));
  }

  function tell(): void {
    const since = first ?? performance.now();
    first = undefined;
    changed(since);
  }

  function watchOne(folder: string, heard: (name: string | null) => void): FSWatcher | undefined {
    try {
      const watcher = watch(folder, (_kind, name) => heard(name));
      watcher.on("error", () => {
        forget(folder);
        note();
      });
      return watcher;
    } catch {
      // Gone already; what is above it tells.
      return undefined;
    }
  }

  function forget(folder: string): void {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  }
}
