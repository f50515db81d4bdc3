import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeFolder } from "../store/engines.ts";
import type { Settings } from "./settings.ts";

/**
 * Where an instance keeps what is no document: `SVC_DATA`, else the folder of the embedded store, else `./data`. Beside a
 * store in memory it is a folder for this process alone, which is gone at its end.
 */
export class DataFolder {
  readonly #settings: Pick<Settings, "data" | "store">;
  #path: string | undefined;
  readonly #discard = () => {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  };

  constructor(settings: Pick<Settings, "data" | "store">) {
    this.#settings = settings;
  }

  /** Made when it is first asked for. */
  get path(): string {
    this.#path ??= this.#make();
    return this.#path;
  }

  /** Takes away what was for this process alone. */
  release(): void {
    if (!this.#isPassing) return;
    process.off("exit", this.#discard);
    this.#discard();
  }

  get #isPassing(): boolean {
    const { data, store } = this.#settings;
    return data === undefined && store.engine === "sqlite" && store.folder === ":memory:";
  }

  #make(): string {
    if (this.#isPassing) {
      process.once("exit", this.#discard);
      return mkdtempSync(join(tmpdir(), "server-data-"));
    }
    const { data, store } = this.#settings;
    const folder = data ?? (store.engine === "sqlite" ? store.folder : resolve("data"));
    makeFolder("SVC_DATA", folder);
    return folder;
  }
}
