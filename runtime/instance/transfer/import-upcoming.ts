/** What documents of an import name that come later in it: those of their own collection, and of circles. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Incoming, NoDocument } from "../../documents/importing/incoming.ts";
import type { Upcoming } from "../../documents/importing/targets.ts";
import { valueAt } from "../../documents/paths.ts";
import { type CollectionDefinition, storeNameOf } from "../../realm/definition.ts";
import { openDatabase } from "../../store/sqlite/driver.ts";
import { UsageError } from "../command.ts";
import type { CollectionInput } from "./import-sources.ts";
import { pathOf } from "./selection.ts";

export interface UpcomingIndex extends Upcoming {
  close(): void;
}

/** A key of documents that are referred to before they are imported. */
interface Wanted {
  readonly input: CollectionInput;
  readonly key: string;
}

/**
 * Looks through the inputs that references lead to before their time, once; what it finds is kept in a passing file.
 * @param inputs in the order in which they are imported
 * @param fits whether a document would be taken, as far as it alone says
 * @throws UsageError where such an input can be read only once
 */
export async function upcomingIn(
  inputs: readonly CollectionInput[],
  tell: (line: string) => void,
  fits: (definition: CollectionDefinition) => (incoming: Incoming) => boolean,
): Promise<UpcomingIndex> {
  const wanted = wantedAmong(inputs);
  if (wanted.size === 0) return { has: () => false, close: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "realmc-import-"));
  const database = openDatabase(join(folder, "upcoming"), { readOnly: false });
  const close = () => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    database.exec(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE upcoming (at TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN",
    );
    const insert = database.prepare("INSERT OR IGNORE INTO upcoming VALUES (?)");
    for (const [of, { input, key }] of wanted) {
      tell(
        `${input.definition.realm} ${pathOf(input.definition)}: looks for what documents name in it by ${key}`,
      );
      for await (const value of valuesIn(input, key, fits(input.definition))) insert.run(`${of}\n${value}`);
    }
    database.exec("COMMIT");
    const select = database.prepare("SELECT 1 FROM upcoming WHERE at = ?");
    return {
      has: (collection, key, value) => {
        const of = nameOf(collection, key);
        return wanted.has(of) && select.get(`${of}\n${value}`) !== undefined;
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function wantedAmong(inputs: readonly CollectionInput[]): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  const done = new Set<string>();
  for (const { definition } of inputs) {
    for (const { database, collection, key } of Object.values(definition.references ?? {})) {
      const target = storeNameOf({ database, name: collection });
      const input = inputs.find((each) => storeNameOf(each.definition) === target);
      if (input === undefined || done.has(target)) continue;
      if (!input.isLasting)
        throw new UsageError(
          `--from: documents of ${pathOf(input.definition)} name one another: give a file rather than -`,
        );
      wanted.set(nameOf(target, key), { input, key });
    }
    done.add(storeNameOf(definition));
  }
  return wanted;
}

function nameOf(collection: string, key: string): string {
  return `${collection}\n${key}`;
}

async function* valuesIn(
  { input }: CollectionInput,
  key: string,
  fits: (incoming: Incoming) => boolean,
): AsyncGenerator<string> {
  const path = key.split(".");
  for await (const some of input.documents()) {
    for (const incoming of some) {
      try {
        const value = valueAt(incoming.read().value, path);
        if (typeof value === "string" && fits(incoming)) yield value;
      } catch (error) {
        // It is rejected when its turn comes.
        if (!(error instanceof NoDocument)) throw error;
      }
    }
    await setImmediate();
  }
}
